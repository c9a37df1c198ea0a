package v1

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/bulk"
)

// bulkCodes are the errors of every change of many records.
var bulkCodes = route.Codes("400 invalid_ids no_fields invalid_status", "404 not_found")

// ManyIDs names the records that a call changes, and the tags that it adds to them and removes from them.
type ManyIDs struct {
	IDs        []uuid.UUID `json:"ids" bad:"invalid_ids" required:"invalid_ids" minItems:"1" maxItems:"500" doc:"ids of the records; all of them change, or none"`
	AddTags    models.Tags `json:"add_tags" doc:"tags to add to each of them"`
	RemoveTags models.Tags `json:"remove_tags" doc:"tags to remove from each of them"`
}

func (m ManyIDs) changesTags() bool { return len(m.AddTags)+len(m.RemoveTags) > 0 }

// fields returns the members of the body that ManyIDs does not have.
func (m ManyIDs) fields(body []byte) (bulk.Members, error) {
	var sent bulk.Members
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, models.Invalid("bad_body", "the body is not a JSON object") // cannot happen
	}
	for _, name := range []string{"ids", "add_tags", "remove_tags"} {
		delete(sent, name)
	}
	if len(sent) == 0 && !m.changesTags() {
		return nil, models.Invalid("no_fields", "there is nothing to change")
	}
	return sent, nil
}

// bodyFor returns the body for the change of one record. tags are the present tags of the record.
func (m ManyIDs) bodyFor(fields bulk.Members, tags models.Tags) ([]byte, error) {
	if m.changesTags() {
		if sent, ok := fields["tags"]; ok {
			tags = nil
			if err := json.Unmarshal(sent, &tags); err != nil {
				return nil, models.Invalid("invalid_input", "tags must be a list")
			}
		}
		list := slices.DeleteFunc(slices.Concat(tags, m.AddTags), func(tag string) bool {
			return slices.ContainsFunc(m.RemoveTags, func(other string) bool { return strings.EqualFold(tag, other) })
		})
		raw, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		fields = maps.Clone(fields)
		fields["tags"] = raw
	}
	return json.Marshal(fields)
}

// BulkChanged is the answer to a change of many records.
type BulkChanged struct {
	ChangeID *uuid.UUID `json:"change_id" doc:"for POST /changes/{id}/undo; null: every record already had these values"`
	Changed  int        `json:"changed" doc:"number of records that have changed"`
}

// finishBulk refuses the change if it failed for a record. Otherwise it stores the change for an undo, unless no record has changed.
func finishBulk(c *route.Call, s *store.Store, records []bulk.Record, failures []store.Failure, total int) (out BulkChanged, err error) {
	if err := store.Refused(failures, total); err != nil {
		return out, err
	}
	records = slices.DeleteFunc(records, func(r bulk.Record) bool { return len(r.After) == 0 })
	if out.Changed = len(records); out.Changed == 0 {
		return out, nil
	}
	id, err := s.AddChange(c.Context(), c.Account.ID, bulk.Changed{Records: records})
	out.ChangeID = &id
	c.RecordField(changeIDField, id)
	recordChanged(c, records)
	return out, err
}

// recordOf returns the changes that a call made to a record.
func recordOf(kind string, id uuid.UUID, name string, before, after any) (bulk.Record, error) {
	was, err := bulk.MembersOf(before)
	if err != nil {
		return bulk.Record{}, err
	}
	is, err := bulk.MembersOf(after)
	was, is = bulk.Differences(was, is)
	return bulk.Record{Kind: kind, ID: id, Name: name, Before: was, After: is}, err
}

// CampaignsPatch is the body of POST /campaigns/bulk. A field that is left out keeps its value in each campaign.
type CampaignsPatch struct {
	ManyIDs
	Status                  string `json:"status" bad:"invalid_status" optional:"true" null:"empty" trim:"true" enum:"active,paused,archived"`
	models.CampaignSettings `optional:"true" null:"empty"`
}

// bulkCampaigns returns the route that changes many campaigns, and the route that undoes a replacement or a change of many records.
func (d Deps) bulkCampaigns(res resource.Kind[store.Campaigns, models.Campaign, CampaignAnswer]) []route.Route {
	return []route.Route{
		res.Row("POST", "/bulk", "change settings of up to 500 campaigns; all of them change, or none", route.HandleBody(d.changeCampaigns),
			bulkCodes, campaignCodes, route.Codes("400 invalid_domain invalid_source", "409 alias_taken")),
		route.New("POST", "/changes/{id}/undo", "Campaigns", "undo a replacement or a change of many records", route.Handle(d.undoChange),
			answer.IDCodes, route.Codes("409 already_undone removed")),
	}
}

func (d Deps) changeCampaigns(c *route.Call, b CampaignsPatch) (BulkChanged, error) {
	fields, err := b.fields(c.Body)
	if err != nil {
		return BulkChanged{}, err
	}
	return store.TxOf(c.Context(), c.Store, func(s *store.Store) (out BulkChanged, err error) {
		edits, failures, deliveries, err := s.Campaigns().ChangeAll(c.Context(), c.Account.ID, b.IDs, authorOf(c), false, func(saved *models.Campaign) error {
			body, err := b.bodyFor(fields, saved.Tags)
			if err != nil {
				return err
			}
			return editCampaign(saved, body)
		})
		if err != nil {
			return out, err
		}
		records := make([]bulk.Record, len(edits))
		for i, e := range edits {
			if records[i], err = recordOf(bulk.Campaign, e.After.ID, e.After.Name, patchOf(&e.Before), patchOf(&e.After)); err != nil {
				return out, err
			}
		}
		d.dispatch(c, deliveries)
		return finishBulk(c, s, records, failures, len(b.IDs))
	})
}

func (d Deps) dispatch(c *route.Call, deliveries []uuid.UUID) {
	if len(deliveries) > 0 {
		c.After(func(ctx context.Context) {
			d.Jobs.DispatchFor(ctx, c.Account.ID, models.KindDeliverWebhook, deliveries...)
		})
	}
}

// Labels are the fields of an offer or a landing page that can be changed for many records at once.
type Labels struct {
	Status    string      `json:"status" bad:"invalid_status" trim:"true" enum:"active,paused"`
	GroupName string      `json:"group_name" bad:"invalid_input" trim:"true" maxLength:"255"`
	Tags      models.Tags `json:"tags" bad:"invalid_input"`
}

// LabelsPatch is the body of POST /offers/bulk and POST /landers/bulk. A field that is left out keeps its value in each record.
type LabelsPatch struct {
	ManyIDs
	Labels `optional:"true" null:"empty"`
}

type labelFields struct {
	active *models.Active
	group  *string
	tags   *models.Tags
}

func (f labelFields) read() Labels {
	return Labels{models.StatusOf(bool(*f.active)), *f.group, *f.tags}
}

func (f labelFields) edit(body []byte) error {
	patch := struct {
		Labels `optional:"true" null:"empty"`
	}{f.read()}
	if err := bind.Decode(body, &patch); err != nil {
		return err
	}
	*f.active, *f.group, *f.tags = patch.Status == models.StatusOf(true), patch.GroupName, patch.Tags
	return nil
}

// labelled describes how one kind of record with labels is stored and changed.
type labelled[R any] struct {
	kind  string
	table func(*store.Store) manyChanger[R]
	of    func(*R) labelFields
	name  func(R) (uuid.UUID, string)
}

type manyChanger[R any] interface {
	ChangeAll(ctx context.Context, account uuid.UUID, ids []uuid.UUID, edit func(*R) error) ([]store.Edit[R], []store.Failure, error)
}

var labelledOffers = labelled[models.Offer]{
	bulk.Offer, func(s *store.Store) manyChanger[models.Offer] { return s.Offers() },
	func(o *models.Offer) labelFields { return labelFields{&o.IsActive, &o.GroupName, &o.Tags} },
	func(o models.Offer) (uuid.UUID, string) { return o.ID, o.Name },
}

var labelledLanders = labelled[models.Lander]{
	bulk.Lander, func(s *store.Store) manyChanger[models.Lander] { return s.Landers() },
	func(l *models.Lander) labelFields { return labelFields{&l.IsActive, &l.GroupName, &l.Tags} },
	func(l models.Lander) (uuid.UUID, string) { return l.ID, l.Name },
}

// bulkLabels returns the route that changes the labels of many records. The second parameter is the plural noun of the records,
// such as offers.
func bulkLabels[T, R, A any](res resource.Kind[T, R, A], what string, l labelled[R]) route.Route {
	return res.Row("POST", "/bulk", "change status, group or tags of up to 500 "+what+"; all of them change, or none",
		route.HandleBody(l.changeAll), bulkCodes)
}

func (l labelled[R]) changeAll(c *route.Call, b LabelsPatch) (BulkChanged, error) {
	fields, err := b.fields(c.Body)
	if err != nil {
		return BulkChanged{}, err
	}
	return store.TxOf(c.Context(), c.Store, func(s *store.Store) (out BulkChanged, err error) {
		edits, failures, err := l.table(s).ChangeAll(c.Context(), c.Account.ID, b.IDs, func(saved *R) error {
			f := l.of(saved)
			body, err := b.bodyFor(fields, *f.tags)
			if err != nil {
				return err
			}
			return f.edit(body)
		})
		if err != nil {
			return out, err
		}
		records := make([]bulk.Record, len(edits))
		for i, e := range edits {
			id, name := l.name(e.After)
			if records[i], err = recordOf(l.kind, id, name, l.of(&e.Before).read(), l.of(&e.After).read()); err != nil {
				return out, err
			}
		}
		return finishBulk(c, s, records, failures, len(b.IDs))
	})
}
