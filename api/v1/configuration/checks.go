package configuration

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/clickattr"
	"switchyard/models/movecheck"
)

// checks returns the routes of /config/checks, which compare where this service and the old tracker send made-up visitors.
func checks(d Deps) []route.Route {
	offset := route.Param{Name: "offset", Type: "integer", Doc: "number of campaigns to skip; default 0"}
	row := func(method, path, summary string, handle route.Handler, codes ...string) route.Route {
		return route.New(method, "/config/checks"+path, configGroup, summary, handle, route.Codes(codes...)).WithShare(route.Reads)
	}
	script := row("GET", "/curl", "the requests of made-up visitors to the old tracker, as a shell script", route.Handle(d.moveScript)).WithQuery(offset)
	script.FileType = "text/x-shellscript"
	compare := row("POST", "/compare", "compare the old tracker's destinations of made-up visitors with the destinations here", route.HandleBody(d.compareMove), "400 required too_long").Asks()
	compare.BodyLimit = mostAnswers
	return []route.Route{
		row("GET", "", "where made-up visitors of imported campaigns go", route.Handle(d.listMoveChecks)).WithQuery(offset,
			route.Param{Name: "limit", Type: "integer", Doc: "campaigns, 1 to 100; default 25"}),
		script, compare,
	}
}

// MoveVisitor is a made-up visitor.
type MoveVisitor struct {
	ID        string `json:"id" doc:"identifies the visitor in the script and in its answers. It changes only if the visitor's request changes, such as after a change of the campaign"`
	Country   string `json:"country"`
	Language  string `json:"language"`
	Browser   string `json:"browser"`
	UserAgent string `json:"user_agent"`
	URL       string `json:"url" doc:"the address that is requested, without its scheme"`
}

// MoveCheck is an imported campaign with its made-up visitors.
type MoveCheck struct {
	CampaignID uuid.UUID            `json:"campaign_id"`
	Name       string               `json:"name"`
	Status     string               `json:"status" enum:"active,paused,archived" doc:"status of the campaign; the check treats every campaign as active"`
	Visitors   []MoveCheckedVisitor `json:"visitors"`
}

// MoveCheckedVisitor is a made-up visitor and where it goes here.
type MoveCheckedVisitor struct {
	MoveVisitor

	Places  []string `json:"places" doc:"where the visitor can go: addresses with their tokens, or the status of an answer that has no address. There are several, at most 10, if a random draw or an unknown attribute decides"`
	Certain bool     `json:"certain" doc:"false: the place depends on something that a request cannot express, such as the visitor's provider"`
}

// MoveChecks is the answer of GET /config/checks.
type MoveChecks struct {
	Total int         `json:"total" doc:"imported campaigns"`
	Rows  []MoveCheck `json:"rows" doc:"in the order of the campaigns' names"`
	Next  *int        `json:"next" doc:"value of offset for the next rows; null at the end"`
}

const (
	usualChecks = 25
	mostChecks  = 100
	mostPlaces  = 10
)

func (d Deps) listMoveChecks(c *route.Call) (out MoveChecks, err error) {
	offset, err := bind.Int(c.Query, "offset", 0, 0, maxOffset)
	if err != nil {
		return out, err
	}
	limit, err := bind.Int(c.Query, "limit", usualChecks, 1, mostChecks)
	if err != nil {
		return out, err
	}
	if out.Total, err = c.Store.ForeignLinks().CountCampaigns(c.Context(), c.Account.ID); err != nil {
		return out, err
	}
	m, err := d.moveChecker(c, nil, offset, limit)
	if err != nil {
		return out, err
	}
	out.Rows = answer.Each(m.campaigns, func(one store.MovedCampaign) MoveCheck {
		check := MoveCheck{CampaignID: one.ID, Name: one.Name, Status: one.Status, Visitors: []MoveCheckedVisitor{}}
		for i, v := range m.visitors(one) {
			places, certain := m.places(one, v, v.Country)
			check.Visitors = append(check.Visitors, MoveCheckedVisitor{shownVisitor(one, i, v), shownPlaces(places), certain})
		}
		return check
	})
	if next := offset + len(out.Rows); next < out.Total && len(out.Rows) > 0 {
		out.Next = &next
	}
	return out, m.err
}

const maxOffset = 1_000_000

func shownVisitor(of store.MovedCampaign, i int, v movecheck.Visitor) MoveVisitor {
	address := movecheck.Address(of.Host, of.Form, of.ForeignID)
	return MoveVisitor{v.ID(of.ID, i, address), v.Country, v.Language, v.Agent.Name, v.Agent.UserAgent, v.URL(address)}
}

func shownPlaces(places []movecheck.Place) []string {
	return answer.Each(places[:min(len(places), mostPlaces)], func(p movecheck.Place) string {
		if p.URL == nil {
			return strconv.Itoa(p.Status)
		}
		return p.URL.Source()
	})
}

const mostScripted = 2000

func (d Deps) moveScript(c *route.Call) (route.File, error) {
	offset, err := bind.Int(c.Query, "offset", 0, 0, maxOffset)
	if err != nil {
		return route.File{}, err
	}
	var text bytes.Buffer
	text.WriteString(movecheck.Head)
	for last := offset + mostScripted; offset < last; offset += mostChecks {
		m, err := d.moveChecker(c, nil, offset, mostChecks)
		if err != nil {
			return route.File{}, err
		}
		for _, one := range m.campaigns {
			address := movecheck.Address(one.Host, one.Form, one.ForeignID)
			for i, v := range m.visitors(one) {
				text.WriteString(v.Line(v.ID(one.ID, i, address), address))
			}
		}
		if m.err != nil || len(m.campaigns) < mostChecks {
			return scriptFile(text.Bytes()), m.err
		}
	}
	fmt.Fprintf(&text, "# The campaigns after the first %d are in another script: offset=%d\n", offset, offset)
	return scriptFile(text.Bytes()), nil
}

func scriptFile(text []byte) route.File {
	return route.File{Name: "check.sh", Type: "text/x-shellscript", Size: int64(len(text)), Write: func(_ context.Context, w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(text))
		return err
	}}
}

// mostAnswers is the maximum size in bytes of a body with answers.
const mostAnswers = 16 << 20

// CompareMoveBody is the body of POST /config/checks/compare.
type CompareMoveBody struct {
	Answers string `json:"answers" required:"true" maxLength:"4000000" doc:"the output of the script, at most 10000 lines"`
	Country string `json:"country" trim:"true" maxLength:"2" doc:"the country of the machine on which the script ran. The comparison uses it for visitors whose country the script could not send to the old tracker. Left out: such a visitor is not compared if the destination depends on the country"`
}

// MoveCompared is the answer of POST /config/checks/compare.
type MoveCompared struct {
	Counts    map[string]int         `json:"counts" doc:"numbers of visitors by result: same, dice, unsure, differs, missing"`
	Unread    int                    `json:"unread" doc:"lines that could not be read, or name no imported campaign"`
	Campaigns []MoveComparedCampaign `json:"campaigns" doc:"the campaigns with the most differences first"`
	LeftOut   int                    `json:"left_out" doc:"visitors that are counted but not listed, because at most 2000 are listed"`
}

// MoveComparedCampaign is a campaign whose visitors were compared.
type MoveComparedCampaign struct {
	CampaignID uuid.UUID        `json:"campaign_id"`
	Name       string           `json:"name"`
	Status     string           `json:"status" enum:"active,paused,archived"`
	Counts     map[string]int   `json:"counts" doc:"numbers of visitors by result"`
	Rows       []MoveDifference `json:"rows" doc:"visitors whose result is not same"`
}

// MoveDifference is a visitor who may go elsewhere at the old tracker.
type MoveDifference struct {
	MoveVisitor

	Result string   `json:"result" enum:"dice,unsure,differs,missing" doc:"dice: a random draw decides, and the old tracker's address is one of the places; unsure: the destinations cannot be compared; missing: the old tracker did not answer, or answered with status 429 or 5xx"`
	Reason string   `json:"reason" enum:",attribute,page,itself,changed,address,parameters,answer" doc:"for unsure: attribute, the place depends on something that a request cannot express; page, the address is in a page; itself, the old tracker leads to its own link; changed, the campaign has changed since. For differs: address, the addresses differ; parameters, only their parameters differ; answer, only one of the two leads to an address, or their statuses differ"`
	Here   []string `json:"here" doc:"where the visitor can go here, as in places of GET /config/checks"`
	There  string   `json:"there" doc:"the address to which the old tracker sent the visitor; empty: none"`
	Status int      `json:"status" doc:"status of the old tracker's answer; 0: no answer came"`
}

const mostDifferences = 2000

func (d Deps) compareMove(c *route.Call, b CompareMoveBody) (MoveCompared, error) {
	out := MoveCompared{Counts: map[string]int{}, Campaigns: []MoveComparedCampaign{}}
	country := ""
	if b.Country != "" {
		var ok bool
		if country, ok = clickattr.Countries.Find(b.Country); !ok {
			return out, models.Invalid("invalid_input", "there is no country %q", b.Country)
		}
	}
	asked, list, unread, err := movecheck.ReadAnswers(b.Answers)
	if err != nil {
		return out, err
	}
	answers := map[uuid.UUID][]movecheck.Answer{}
	for _, a := range list {
		answers[a.Campaign] = append(answers[a.Campaign], a)
	}
	out.Unread = unread
	for ids := range slices.Chunk(slices.Collect(maps.Keys(answers)), mostChecks) {
		m, err := d.moveChecker(c, ids, 0, mostChecks)
		if err != nil {
			return out, err
		}
		if m.country = country; !asked.IsZero() {
			m.at = asked
		}
		for _, one := range m.campaigns {
			out.Campaigns = append(out.Campaigns, m.compare(one, answers[one.ID]))
			delete(answers, one.ID)
		}
		if m.err != nil {
			return out, m.err
		}
	}
	for _, unknown := range answers {
		out.Unread += len(unknown)
	}
	out.sum()
	return out, nil
}

// sum adds up the counts of the campaigns, and sorts the campaigns. At most mostDifferences rows of all campaigns stay.
func (m *MoveCompared) sum() {
	slices.SortFunc(m.Campaigns, func(a, b MoveComparedCampaign) int {
		if n := b.Counts[movecheck.Differs] - a.Counts[movecheck.Differs]; n != 0 {
			return n
		}
		return strings.Compare(a.Name, b.Name)
	})
	room := mostDifferences
	for i := range m.Campaigns {
		one := &m.Campaigns[i]
		for result, n := range one.Counts {
			m.Counts[result] += n
		}
		listed := min(len(one.Rows), room)
		m.LeftOut += len(one.Rows) - listed
		one.Rows = one.Rows[:listed]
		room -= listed
	}
}
