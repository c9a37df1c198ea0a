package reporting

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/routing"
	"switchyard/db/click"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// Simulation returns the route POST /tools/simulate.
func Simulation(d Deps) route.Route {
	return route.Route{
		Method: "POST", Path: "/tools/simulate", Group: "Campaigns", Scope: route.Ask, Share: route.Reads,
		Summary: "route a described visitor through a saved flow or a flow in the body, without recording anything",
		Codes:   append(route.Codes("400 invalid_id invalid_attribute invalid_time", "402 plan_limit", "404 not_found"), draftCodes...),
		Echoes:  draftEchoes,
		Handle:  route.HandleBody(d.simulate),
	}
}

var draftCodes = slices.Concat(answer.FlowCodes,
	route.Codes("400 invalid_flow_rotation invalid_bind_visitors invalid_fallback_url invalid_destination_url"))

// draftEchoes describes the fields of the body that a client may copy from the answers of other routes.
var draftEchoes = []any{struct {
	Streams []flow.Path `json:"streams"`
}{}}

// DraftFlow is a flow that is not saved.
type DraftFlow struct {
	Streams        json.RawMessage `json:"streams" is:"paths" doc:"a full flow (an array of Path) that is not saved"`
	FlowRotation   string          `json:"flow_rotation" bad:"invalid_flow_rotation" enum:"position,weight" doc:"used only with streams"`
	BindVisitors   string          `json:"bind_visitors" bad:"invalid_bind_visitors" enum:"none,streams,streams_landers,streams_landers_offers" doc:"used only with streams"`
	FallbackURL    string          `json:"fallback_url" bad:"invalid_fallback_url" maxLength:"2000" format:"routable" doc:"used only with streams"`
	DestinationURL string          `json:"destination_url" bad:"invalid_destination_url" maxLength:"2000" format:"routable" doc:"used only with streams"`
}

// paths parses the paths and checks them as for saving.
func (f DraftFlow) paths(c *route.Call) ([]flow.Path, error) {
	paths, err := flow.Parse(f.Streams)
	if err != nil {
		return nil, err
	}
	return paths, c.Store.Campaigns().CheckFlow(c.Context(), c.Account.ID, paths)
}

// SimulateBody describes a visitor and the flow to test.
type SimulateBody struct {
	CampaignID uuid.UUID `json:"campaign_id" bad:"invalid_id" doc:"a campaign of the account, whose saved flow is used; if it is sent, streams is ignored"`
	DraftFlow

	BlocksOf uuid.UUID       `json:"blocks_of" bad:"invalid_id" doc:"used only with streams: the campaign that the streams are meant for. The blocked values of this campaign and of its source apply to the visitor"`
	ClickID  string          `json:"click_id" bad:"invalid_id" doc:"a recorded click. Its visitor, its time and its random numbers are used. The fields visitor, at and seed replace them. Without streams and campaign_id, its campaign is used too"`
	Visitor  json.RawMessage `json:"visitor" is:"visitor" doc:"an object: names of attributes (country, device_type, param.x, header.x, ...) with their values"`
	At       string          `json:"at" bad:"invalid_time" doc:"time of the click, YYYY-MM-DD HH:MM:SS, UTC; default: now"`
	Seed     *int64          `json:"seed" doc:"seed of the random numbers; default: a random seed"`
	Draws    int             `json:"draws" bad:"invalid_input" min:"1" max:"1000" doc:"number of equal visitors to route, each with other random numbers; the answer counts them by destination"`

	BoundPathID   uuid.UUID `json:"bound_path_id" bad:"invalid_id" doc:"the path that the visitor took at an earlier visit"`
	BoundLanderID uuid.UUID `json:"bound_lander_id" bad:"invalid_id"`
	BoundOfferID  uuid.UUID `json:"bound_offer_id" bad:"invalid_id"`
}

// Simulated tells where the visitor would go.
type Simulated struct {
	Seed int64 `json:"seed" doc:"the same seed gives the same random numbers"`
	RouteTrace
	Distribution []DrawnWay `json:"distribution,omitempty" doc:"only with draws: the destinations of the visitors, most visitors first"`
}

func (d Deps) simulate(c *route.Call, b SimulateBody) (Simulated, error) {
	click, err := d.simulatedClick(c, &b)
	if err != nil {
		return Simulated{}, err
	}
	at, err := b.at(click)
	if err != nil {
		return Simulated{}, err
	}
	first, records, err := b.records(c)
	if err != nil {
		return Simulated{}, err
	}
	explainer := routing.NewExplainer(records)
	if !explainer.Has(first) {
		return Simulated{}, models.NotFound("campaign")
	}
	facts, err := b.facts(at, explainer.Zone(c.Account.ID), click)
	if err != nil {
		return Simulated{}, err
	}
	q := routing.Question{
		Campaign: first, Facts: facts,
		Seed:  rand.Uint64() >> 12, //nolint:gosec // not a secret; 52 bits are exact for every JSON reader
		Bound: map[uuid.UUID]flow.Binding{first: {Path: b.BoundPathID, Lander: b.BoundLanderID, Offer: b.BoundOfferID}},
	}
	if click != nil {
		q.Seed = click.RouteSeed
		if b.BoundPathID == uuid.Nil {
			maps.Copy(q.Bound, explainer.Recorded(click, first).Bound)
			if bound, ok := q.Bound[click.CampaignID]; ok && len(b.Streams) > 0 {
				q.Bound[first] = bound // the flow in the body stands for the click's campaign
			}
		}
	}
	if b.Seed != nil {
		q.Seed = uint64(*b.Seed) //nolint:gosec // any bits are a valid seed
	}
	if err := d.useOfDay(c, explainer, at, &q); err != nil {
		return Simulated{}, err
	}
	s := Simulated{Seed: int64(q.Seed)} //nolint:gosec // any bits are a valid seed
	if b.Draws > 0 {
		if s.Distribution, err = drawWays(c.Context(), explainer, q, b.Draws); err != nil {
			return Simulated{}, err
		}
	}
	s.RouteTrace = routeTrace(explainer.Explain(q))
	return s, nil
}

// simulatedClick returns the click that click_id names, or nil. If b has neither a campaign nor streams, it sets the campaign of b
// to the campaign whose link was clicked.
func (d Deps) simulatedClick(c *route.Call, b *SimulateBody) (*click.StoredClick, error) {
	if b.ClickID == "" {
		return nil, nil //nolint:nilnil // no click is no error
	}
	found, err := d.ownClick(c, b.ClickID)
	if err != nil {
		return nil, err
	}
	if b.CampaignID == uuid.Nil && len(b.Streams) == 0 {
		b.CampaignID = routing.FirstCampaign(&found.Click)
	}
	return &found.StoredClick, nil
}

func (b SimulateBody) at(click *click.StoredClick) (time.Time, error) {
	switch {
	case b.At == "" && click != nil:
		return click.At, nil
	case b.At == "":
		return time.Now(), nil
	}
	t, err := time.Parse(time.DateTime, b.At)
	if err != nil || t.Year() < 1970 {
		return t, models.Invalid("invalid_time", "at must be YYYY-MM-DD HH:MM:SS")
	}
	return t, nil
}

// records loads the records that route the visitor.
func (b SimulateBody) records(c *route.Call) (uuid.UUID, *store.Routing, error) {
	if b.CampaignID != uuid.Nil {
		r, err := store.CampaignRouting(c.Context(), c.Store.Conn(), c.Account.ID, b.CampaignID)
		return b.CampaignID, r, err
	}
	paths, err := b.paths(c)
	if err != nil {
		return uuid.Nil, nil, err
	}
	streams, err := json.Marshal(paths)
	if err != nil {
		return uuid.Nil, nil, err
	}
	row := store.RoutingCampaign{
		ID: uuid.New(), AccountID: c.Account.ID, Name: "simulated", Status: models.CampaignActive, Streams: streams,
		FlowRotation: b.FlowRotation, BindVisitors: b.BindVisitors, FallbackURL: b.FallbackURL,
		DestinationURL: b.DestinationURL,
	}
	if b.BlocksOf != uuid.Nil {
		campaign, err := c.Store.Campaigns().Find(c.Context(), c.Account.ID, b.BlocksOf)
		if err != nil {
			return uuid.Nil, nil, err
		}
		row.ID, row.SourceID = campaign.ID, campaign.SourceID
	}
	r, err := store.FlowRouting(c.Context(), c.Store.Conn(), row, paths)
	return row.ID, r, err
}

const maxAttributes = 200

func (b SimulateBody) facts(at time.Time, zone *time.Location, click *click.StoredClick) (*cond.Facts, error) {
	f, given := &cond.Facts{}, map[string]any{}
	source := routing.Sent{Params: map[string][]string{}, Headers: map[string][]string{}}
	if click != nil {
		f = routing.ClickFacts(click, zone)
		source.Params, _ = url.ParseQuery(click.Params)
	} else {
		f.SetBool(cond.IsBot, false)
		f.SetBool(cond.IsUnique, true)
		f.SetInt(cond.BotScore, 0)
	}
	f.SetTime(at, zone)
	if len(b.Visitor) > 0 {
		dec := json.NewDecoder(bytes.NewReader(b.Visitor))
		dec.UseNumber()
		if err := dec.Decode(&given); err != nil || len(given) > maxAttributes {
			return nil, models.Invalid("invalid_attribute", "visitor must be an object of at most %d attributes", maxAttributes)
		}
	}
	for name, v := range given {
		text, ok := scalarText(v)
		if !ok {
			return nil, models.Invalid("invalid_attribute", "%.100s must be a text, a number, true or false", name)
		}
		if arg, ok := strings.CutPrefix(name, "param."); ok {
			source.Params[arg] = []string{text}
		} else if arg, ok := strings.CutPrefix(name, "header."); ok {
			source.Headers[http.CanonicalHeaderKey(arg)] = []string{text}
		} else if !f.Assign(name, text) {
			return nil, models.Invalid("invalid_attribute", "there is no attribute %.100s with this value", name)
		}
	}
	f.SetSource(source)
	return f, nil
}

// scalarText returns a JSON value as text: null becomes an empty text. It returns false for an object, a list and a text of more
// than 2000 bytes.
func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, len(v) <= 2000
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}
