package smoke

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"time"

	"switchyard/ops/lab/fleet"
)

// endpoints lists the webhook endpoints and the events to which they subscribe.
var endpoints = map[string][]string{
	"/hooks/all":     {"conversion.created", "conversion.updated"},
	"/hooks/changes": {"conversion.updated", "campaign.paused"},
}

// schedule lists the waits before repeated deliveries, shorter than the documented waits.
const schedule = "200ms,400ms,1s,2s,2s,2s"

// failSometimes fails the first attempt of about every fourth event, and redirects some attempts.
func failSometimes(_ context.Context, a fleet.Attempt) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(a.EventID))
	switch {
	case a.Type == "ping": // a ping is sent only once
		return http.StatusOK
	case a.Number == 1 && h.Sum32()%4 == 0:
		return http.StatusInternalServerError
	case a.Number == 1 && h.Sum32()%16 == 1, a.Number == 2 && h.Sum32()%16 == 0:
		return http.StatusFound
	}
	return http.StatusNoContent
}

// announced returns how often the endpoints must receive each event.
func (t *traffic) announced() map[string]int {
	want := map[string]int{}
	for _, v := range t.expected() {
		for _, r := range v.recordings {
			for path, events := range endpoints {
				if contains(events, r.event) {
					want[path+" "+r.event+" "+v.key()+" "+r.status+" "+r.payout.Round(answerDecimals).String()]++
				}
			}
		}
	}
	if t.paused != "" {
		want["/hooks/changes campaign.paused "+t.paused]++
	}
	return want
}

// pause pauses a campaign twice. The second call has no effect.
func (t *traffic) pause(ctx context.Context) error {
	id := t.campaigns["shared"].id
	for range 2 {
		var got struct{ ID, Status string }
		err := t.api.Do(ctx, http.StatusOK, http.MethodPatch, "/campaigns/"+id, object{"status": "paused"}, &got)
		if err != nil {
			return err
		}
		if got.ID != id || got.Status != "paused" {
			return fmt.Errorf("PATCH /campaigns/%s: %+v", id, got)
		}
	}
	t.paused = id
	return nil
}

func (t *traffic) ping(ctx context.Context) error {
	for path, id := range t.hooks {
		var got struct {
			DeliveryID string `json:"deliveryId"`
			Delivered  bool   `json:"delivered"`
			Status     any    `json:"status"`
		}
		if err := t.api.Do(ctx, http.StatusOK, http.MethodPost, "/webhooks/test", object{"id": id}, &got); err != nil {
			return err
		}
		if len(got.DeliveryID) != 36 {
			t.problem("test of %s: %+v", path, got)
		}
	}
	return nil
}

// waitDelivered waits until every expected event was accepted and no delivery is pending. A timeout is recorded as a problem,
// and the run continues.
func (t *traffic) waitDelivered(ctx context.Context, r *fleet.Receiver) error {
	want := t.announced()
	late, err := poll(ctx, quietTimeout, 300*time.Millisecond, func() (bool, error) {
		delivered := map[string]int{}
		for _, a := range r.Attempts() {
			if a.Accepted() {
				delivered[a.Endpoint+" "+a.Type+" "+subject(a)]++
			}
		}
		for key, n := range want {
			if delivered[key] < n {
				return false, nil
			}
		}
		var pending struct{ Rows []any }
		err := t.api.Get(ctx, "/webhooks/deliveries?status=pending&limit=1", &pending)
		return len(pending.Rows) == 0, err
	})
	if late {
		t.problem("not every webhook was delivered within %s", quietTimeout)
	}
	return err
}

// payload is the part of an event's body that is compared.
type payload struct {
	ID        string `json:"id"`
	AccountID string `json:"account_id"`
	Data      struct {
		conversionRow
		CampaignName string `json:"name"`
	} `json:"data"`
}

// subject returns the campaign's id for a paused campaign, and otherwise the conversion's key, status and payout.
func subject(a fleet.Attempt) string {
	var p payload
	if err := json.Unmarshal(a.Body, &p); err != nil {
		return err.Error()
	}
	if a.Type == "campaign.paused" {
		return p.Data.CampaignID
	}
	return p.Data.key() + " " + p.Data.Status + " " + number(p.Data.Payout).String()
}

// webhooks compares the received webhooks with the expected ones. Each event must be delivered once to each endpoint that
// subscribes to it. Every attempt must have a valid signature. All attempts of a delivery must have the same bytes and the same
// delivery id.
func (t *traffic) webhooks(ctx context.Context, r *fleet.Receiver) error {
	got, bodies, accepted, pings, retried := map[string]int{}, map[string]fleet.Attempt{}, map[string]int{}, 0, 0
	conversions := t.expected()
	for _, a := range r.Attempts() {
		if endpoints[a.Endpoint] == nil {
			continue // an endpoint of another account, checked elsewhere
		}
		id := a.Endpoint + " " + a.EventID
		if a.Problem != "" {
			t.differ("webhook %s %s: %s", a.Type, id, a.Problem)
		}
		first, again := bodies[id]
		if again {
			retried++
			if string(first.Body) != string(a.Body) || first.Delivery != a.Delivery || first.Type != a.Type {
				t.differ("webhook %s: a repeated attempt is not the same: %s %s", id, first.Body, a.Body)
			}
		}
		bodies[id] = a
		if !a.Accepted() {
			continue
		}
		if accepted[id]++; accepted[id] > 1 {
			t.differ("webhook %s %s: delivered %d times", a.Type, id, accepted[id])
		}
		if a.Type == "ping" {
			pings++
			continue
		}
		got[a.Endpoint+" "+a.Type+" "+subject(a)]++
		t.payload(a, conversions)
	}
	want := t.announced()
	for key, n := range want {
		if got[key] != n {
			t.differ("webhook %s: delivered %d times, expected %d", key, got[key], n)
		}
		delete(got, key)
	}
	for key := range got {
		t.differ("webhook %s: received, although the endpoint has not subscribed to it or there was no such event", key)
	}
	if retried == 0 || pings != len(endpoints) {
		t.differ("webhooks: %d repeated attempts, %d pings", retried, pings)
	}
	t.delivered, t.retried = len(accepted), retried
	t.compared += len(want)
	return t.deliveryLog(ctx, accepted)
}

func (t *traffic) payload(a fleet.Attempt, conversions map[string]*conversion) {
	var p payload
	if err := json.Unmarshal(a.Body, &p); err != nil || p.AccountID != t.account {
		t.differ("webhook %s: body %s", a.EventID, a.Body)
		return
	}
	if a.Type == "campaign.paused" {
		return
	}
	if v := conversions[p.Data.key()]; v != nil {
		if text := t.wrong(v, p.Data.conversionRow, p.Data.Status); text != "" {
			t.differ("webhook %s: %s", a.EventID, text)
		}
	}
}

// deliveryLog checks that every delivery in the log is delivered, and that the log has as many as the receiver accepted.
func (t *traffic) deliveryLog(ctx context.Context, accepted map[string]int) error {
	delivered := 0
	for cursor := ""; ; {
		var page struct {
			Rows       []struct{ ID, Status string }
			NextCursor *string `json:"next_cursor"`
		}
		if err := t.api.Get(ctx, "/webhooks/deliveries?limit=200&cursor="+cursor, &page); err != nil {
			return err
		}
		for _, row := range page.Rows {
			if row.Status == "delivered" {
				delivered++
			} else {
				t.differ("delivery log: %s is %s", row.ID, row.Status)
			}
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if delivered != len(accepted) {
		t.differ("delivery log: %d delivered, but the receiver accepted %d", delivered, len(accepted))
	}
	return nil
}
