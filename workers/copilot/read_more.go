package copilot

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"switchyard/db/click"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/postback"
	"switchyard/models/subslot"
)

// sources reads how many bots the traffic sources send, and which of their parameters stay empty.
func (r *reading) sources(ctx context.Context) error {
	rows, err := r.readRows(ctx, copilot.Sources, maxSources, nil, "source_id")
	if err != nil {
		return err
	}
	for _, row := range rows {
		id, err := uuid.Parse(row.Dims[0])
		if err != nil {
			continue
		}
		s, err := r.store.Sources().Find(ctx, r.account.ID, id)
		switch {
		case errors.Is(err, models.NotFound("traffic source")):
			continue
		case err != nil:
			return err
		}
		if !bool(s.IsActive) {
			continue
		}
		v := copilot.SourceInput{
			ID: id, Name: s.Name, Clicks: row.Clicks, Bots: row.BotClicks, Macros: map[string]string{}, Empty: map[string]int64{},
		}
		for _, slot := range subslot.Filled(s.SourceLink) {
			macro := subslot.MacroOf(s.SourceLink, slot.Param)
			if macro == "" {
				continue
			}
			sub := models.SubKeys[slot.Sub-1]
			v.Macros[sub] = macro
			empty, err := r.readRows(ctx, copilot.KindToken, 1, []report.Filter{report.IDs("source_id", id), {Dimension: sub, Values: []string{""}}}, "source_id")
			if err != nil {
				return err
			}
			for _, e := range empty {
				v.Empty[sub] = e.Clicks
			}
		}
		r.in.Sources = append(r.in.Sources, v)
	}
	return nil
}

// inboxDays is how many days of postbacks are read, and inboxRows the maximum number of these postbacks.
const (
	inboxDays = 7
	inboxRows = 2000
)

// networks reads the postbacks that matched no click, and finds the parameter in which each network sends a click id.
func (r *reading) networks(ctx context.Context) error {
	found, err := dbcopilot.NewSuggestions(r.store).Inbox(ctx, r.account.ID, r.in.Now.AddDate(0, 0, -inboxDays), inboxRows)
	if err != nil {
		return err
	}
	for _, f := range found {
		n := copilot.NetworkInput{Unmatched: f.Unmatched, Total: f.Total, Since: f.Since, Examined: int64(len(f.Params))}
		n.Network, err = r.store.Networks().Find(ctx, r.account.ID, f.NetworkID)
		switch {
		case errors.Is(err, models.NotFound("network")):
			continue
		case err != nil:
			return err
		}
		if err := r.clickParameter(ctx, &n, f.Params); err != nil {
			return err
		}
		r.in.Networks = append(r.in.Networks, n)
	}
	return nil
}

// clickParameter finds the parameter that contains a click id most often. n.Found and n.Read count only ids of the account's
// clicks, because a sender can invent ids.
func (r *reading) clickParameter(ctx context.Context, n *copilot.NetworkInput, list []map[string]string) error {
	ids := map[string][]uuid.UUID{}
	reads := map[uuid.UUID]bool{} // the click ids that are found with the parameter that the network is set to now
	for _, params := range list {
		if id, why := postback.NamedClick(params, postback.Network{Params: n.PostbackParams}, r.in.Now); why == "" {
			reads[id] = true
		}
		for name, value := range params {
			alone := map[string]string{postback.Param("click_id"): value}
			if id, why := postback.NamedClick(alone, postback.Network{}, r.in.Now); why == "" && len(name) <= 100 {
				ids[name] = append(ids[name], id)
			}
		}
	}
	for name, found := range ids {
		if most := len(ids[n.Parameter]); len(found) > most || len(found) == most && name < n.Parameter {
			n.Parameter = name
		}
	}
	known, err := click.Log{Conn: r.store.Conn()}.FindByIDs(ctx, r.account.ID, ids[n.Parameter])
	for _, id := range ids[n.Parameter] {
		if _, ok := known[id]; ok {
			n.Found++
			if reads[id] {
				n.Read++
			}
		}
	}
	return err
}

// domains reads the account's domains that have a certificate with a problem, or whose registration ends soon. It leaves out
// certificates without an expiry date.
func (r *reading) domains(ctx context.Context) error {
	found := map[uuid.UUID]*copilot.DomainInput{}
	domain := func(id uuid.UUID, host string) *copilot.DomainInput {
		if found[id] == nil {
			on := slices.DeleteFunc(slices.Clone(r.in.Campaigns), func(c copilot.CampaignInput) bool { return c.DomainID != id })
			found[id] = &copilot.DomainInput{ID: id, Host: host, Campaigns: len(on)}
		}
		return found[id]
	}
	certificates, err := r.store.Certificates().Troubled(ctx, r.account.ID, r.in.Now)
	if err != nil {
		return err
	}
	for _, k := range certificates {
		if k.ExpiresAt != nil {
			domain(k.DomainID, k.Hostname).ExpiresAt = *k.ExpiresAt
		}
	}
	ending, err := r.store.Domains().Ending(ctx, r.account.ID, r.in.Now)
	for _, d := range ending {
		domain(d.ID, d.Host).RegisteredUntil = d.Until
	}
	for _, d := range found {
		r.in.Domains = append(r.in.Domains, *d)
	}
	return err
}
