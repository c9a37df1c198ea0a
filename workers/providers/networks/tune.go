package networks

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// tune is the affiliate API of TUNE (HasOffers): developers.tune.com, Affiliate_Report::getConversions. Failures come with
// status 200. Days and times are in the network's own time zone. TUNE is renaming the id from ad_id to tune_event_id, so both
// names are read. Unverified: the words with which the API reports a wrong key and too many requests.
var tune = adapter{
	open: func(s *session) {
		s.Base = host(s.c["network_id"], ".api.hasoffers.com")
		s.Failed = tuneFailed
		s.Busy = func(f *rest.FailureError) bool { return mentions(f, "rate limit") }
		s.Denied = func(f *rest.FailureError) bool {
			return mentions(f, "api key", "api_key", "apikey", "networkid", "authenticat")
		}
	},
	page:  tunePage,
	words: map[string]string{"approved": models.StatusApproved, "pending": models.StatusPending, "rejected": models.StatusRejected},
}

const tuneRows = 500

type tuneStat struct {
	EventID  text `json:"tune_event_id"`
	AdID     text `json:"ad_id"`
	At       text `json:"datetime"`
	Info1    text `json:"affiliate_info1"`
	Info2    text `json:"affiliate_info2"`
	Info3    text `json:"affiliate_info3"`
	Info4    text `json:"affiliate_info4"`
	Info5    text `json:"affiliate_info5"`
	Payout   text `json:"approved_payout"`
	Status   text `json:"conversion_status"`
	Currency text `json:"currency"`
}

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
	if words == "" {
		words = "no success, and no reason"
	}
	return words
}

func tunePage(ctx context.Context, s *session, of Range, cursor string) (orders []Order, next string, err error) {
	page := max(text(cursor).Number(), 1)
	query := url.Values{
		"NetworkId": {s.c["network_id"]}, "Target": {"Affiliate_Report"}, "Method": {"getConversions"}, "api_key": {s.c["api_key"]},
		"filters[Stat.date][conditional]": {"BETWEEN"},
		"filters[Stat.date][values][]":    {of.From.Format(time.DateOnly), of.To.Format(time.DateOnly)},
		"limit":                           {strconv.Itoa(tuneRows)}, "page": {strconv.Itoa(page)},
	}
	for _, name := range []string{
		"tune_event_id", "ad_id", "datetime", "affiliate_info1", "affiliate_info2", "affiliate_info3", "affiliate_info4",
		"affiliate_info5", "approved_payout", "conversion_status", "currency",
	} {
		query.Add("fields[]", "Stat."+name)
	}
	var answer struct {
		Response struct {
			Data list[struct {
				Pages text `json:"pageCount"`
				Data  list[struct {
					Stat tuneStat `json:"Stat"`
				}] `json:"data"`
			}] `json:"data"`
		} `json:"response"`
	}
	err = s.Get(ctx, "/Apiv3/json", query, &answer)
	for _, data := range answer.Response.Data {
		for _, row := range data.Data {
			v := row.Stat
			orders = append(orders, Order{
				Click: clickOf(v.Info1, v.Info2, v.Info3, v.Info4, v.Info5), ID: string(cmp.Or(v.EventID, v.AdID)), Word: string(v.Status),
				Payout: string(v.Payout), Currency: string(v.Currency), At: s.when(v.At),
			})
		}
		if len(orders) > 0 && page < data.Pages.Number() {
			next = strconv.Itoa(page + 1)
		}
	}
	return orders, next, err
}
