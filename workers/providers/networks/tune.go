package networks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// tune is the affiliate API of TUNE (HasOffers): developers.tune.com, Affiliate_Report::getConversions. Failures come with status
// 200. Days and times are in the network's own time zone. TUNE is renaming the conversion's id from id to tune_event_id, so both
// are requested. ad_id is the id of the click's transaction, which all goals of the click share. A network that does not know a
// field refuses the whole request, which is then repeated without the field. Unverified: the words with which the API reports a
// wrong key, too many requests and an unknown field.
var tune = adapter{
	open: func(s *session) {
		s.Base, s.unknown = host(s.c["network_id"], ".api.hasoffers.com"), map[string]bool{}
		s.Failed = tuneFailed
		s.Busy = func(f *rest.FailureError) bool { return mentions(f, "rate limit") }
		s.Denied = func(f *rest.FailureError) bool {
			return mentions(f, "api key", "api_key", "apikey", "networkid", "authenticat")
		}
	},
	page:     tunePage,
	statuses: map[string]string{"approved": models.StatusApproved, "pending": models.StatusPending, "rejected": models.StatusRejected},
}

const tuneRows = 500

// tuneFields are the fields that tune asks for. The optional ones are not known to every network.
var (
	tuneFields = []string{
		"Stat.ad_id", "Stat.datetime", "Stat.affiliate_info1", "Stat.affiliate_info2", "Stat.affiliate_info3", "Stat.affiliate_info4",
		"Stat.affiliate_info5", "Stat.conversion_status", "Stat.currency",
	}
	tuneOptional = []string{"Stat.tune_event_id", "Stat.id", "Stat.payout", "Stat.approved_payout", "Stat.goal_id", "Stat.sale_amount", "Goal.name"}
)

func tuneFailed(body []byte) string {
	var answer struct {
		Response *struct {
			Status  text            `json:"status"`
			Message text            `json:"errorMessage"`
			Errors  json.RawMessage `json:"errors"`
		} `json:"response"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Response == nil || answer.Response.Status == "1" {
		return ""
	}
	words := rest.Complaint(answer.Response.Errors)
	if message := string(answer.Response.Message); words == "" || !strings.Contains(words, message) {
		words = strings.Trim(message+"; "+words, "; ")
	}
	return cmp.Or(words, "no success, and no reason")
}

func tunePage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	page := platform.Place(cursor, 1)
	query := url.Values{
		"NetworkId": {s.c["network_id"]}, "Target": {"Affiliate_Report"}, "Method": {"getConversions"}, "api_key": {s.c["api_key"]},
		"filters[Stat.date][conditional]": {"BETWEEN"},
		"filters[Stat.date][values][]":    {period.From.Format(time.DateOnly), period.To.Format(time.DateOnly)},
		"limit":                           {strconv.Itoa(tuneRows)}, "page": {strconv.Itoa(page)},
	}
	var answer struct {
		Response struct {
			Data list[struct {
				Pages text `json:"pageCount"`
				Data  list[struct {
					Stat record `json:"Stat"`
					Goal record `json:"Goal"`
				}] `json:"data"`
			}] `json:"data"`
		} `json:"response"`
	}
	err = s.tuneGet(ctx, query, &answer)
	for _, data := range answer.Response.Data {
		for _, row := range data.Data {
			v, goal := row.Stat, row.Goal.Get("name")
			if strings.EqualFold(goal, "default") { // the goal of an offer without goals
				goal = ""
			}
			orders = append(orders, Order{
				Click: clickIn(v, "affiliate_info1", "affiliate_info2", "affiliate_info3", "affiliate_info4", "affiliate_info5"),
				ID:    v.Get("tune_event_id", "id", "ad_id"), Goal: goal, Ref: v.Get("ad_id"), GoalRef: v.Get("goal_id"), Word: v.Get("conversion_status"),
				Payout:   v.Get("payout", "approved_payout"), // approved_payout is 0 while the conversion is not approved
				Currency: v.Get("currency"), Sale: v.Get("sale_amount"), At: s.when(v["datetime"]),
			})
		}
		next = platform.Next(len(orders) > 0 && page < data.Pages.Number(), page+1)
	}
	return orders, next, err
}

// tuneGet asks for conversions with all fields that the network knows. An optional field that the network refuses is left out of
// all further requests of the session.
func (s *session) tuneGet(ctx context.Context, query url.Values, into any) error {
	for {
		query["fields[]"] = append(slices.Clone(tuneFields), slices.DeleteFunc(slices.Clone(tuneOptional), func(name string) bool {
			return s.unknown[name]
		})...)
		err := s.Get(ctx, "/Apiv3/json", query, into)
		var f *rest.FailureError
		if !errors.As(err, &f) {
			return err
		}
		refused := slices.DeleteFunc(slices.Clone(tuneOptional), func(name string) bool {
			return s.unknown[name] || !mentions(f, strings.ToLower(name))
		})
		if len(refused) == 0 {
			return err
		}
		for _, name := range refused {
			s.unknown[name] = true
		}
	}
}
