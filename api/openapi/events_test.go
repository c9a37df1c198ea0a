package openapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"switchyard/api/openapi"
	"switchyard/models"
)

// TestEventsHaveTheDescribedForm validates the bytes that endpoints receive against the schemas in the document.
func TestEventsHaveTheDescribedForm(t *testing.T) {
	t.Parallel()
	doc := openapi.Document(openapi.Info{}, nil)
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	// The loader resolves references only in paths, so the events are put there.
	var readable map[string]any
	if err := json.Unmarshal(raw, &readable); err != nil {
		t.Fatal(err)
	}
	paths := map[string]any{}
	for kind, item := range readable["webhooks"].(map[string]any) {
		paths["/"+kind] = item
	}
	readable["paths"] = paths
	if raw, err = json.Marshal(readable); err != nil {
		t.Fatal(err)
	}
	loaded, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	conversion := models.Conversion{ClickID: models.NewClickID(), Status: models.StatusApproved, Currency: "USD"}
	click := models.Click{ExternalID: "e"}
	link := models.Link{Kind: "offer", ID: uuid.New(), Name: "O", URL: "https://o.example/{clickid}"}
	payloads := map[string]any{
		models.EventConversionCreated: conversion.Event(&click), models.EventConversionUpdated: conversion.Event(&click),
		models.EventCampaignPaused: models.CampaignPausedData{By: models.ByAPI}, models.EventPing: models.PingData{},
		models.EventLinkBroken:       link.BrokenData(models.LinkState{Failures: 2}),
		models.EventLinkUnsafe:       link.UnsafeData("web_risk", models.ScreenState{Threats: []string{"MALWARE"}}, &models.LinkFailover{Domain: "spare.example", Campaigns: 2}),
		models.EventPlanLimitReached: models.Plans[0].LimitData(100_001, time.Now()),
	}
	if len(payloads) != len(paths) {
		t.Errorf("the document has %d events, want %d", len(paths), len(payloads))
	}
	for kind, data := range payloads {
		item := loaded.Paths.Value("/" + kind)
		if item == nil {
			t.Errorf("%s is not described", kind)
			continue
		}
		schema := item.Post.RequestBody.Value.Content.Get("application/json").Schema.Value
		check := func(e models.Event) error {
			var body any
			if err := json.Unmarshal(e.Body, &body); err != nil {
				t.Fatal(err)
			}
			return loaded.ValidateSchemaJSON(schema, body)
		}
		if err := check(models.NewEvent(uuid.New(), kind, time.Now(), data)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if check(models.NewEvent(uuid.New(), kind, time.Now(), "text")) == nil ||
			check(models.NewEvent(uuid.New(), "other", time.Now(), data)) == nil {
			t.Errorf("%s: the schema accepts data or a type that does not belong to the event", kind)
		}
		if check(models.NewEvent(uuid.New(), kind, time.Now(), struct{}{})) == nil {
			t.Errorf("%s: the schema accepts an empty payload", kind)
		}
	}
}
