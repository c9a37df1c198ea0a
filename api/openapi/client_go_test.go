package openapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"switchyard/api/apitest"
	switchyard "switchyard/api/clients/go"
	"switchyard/db/store"
)

// TestGoClientAtTheService: the client for Go creates and lists campaigns of the real service, and reads a report.
func TestGoClientAtTheService(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	if err := store.EnsureSharedDomains(t.Context(), server.DB, []string{"links.example.com"}); err != nil {
		t.Fatal(err)
	}
	c, ctx := switchyard.New(server.URL, server.Key), t.Context()
	offer, err := c.CreateOffer(ctx, switchyard.OfferBody{Name: "Shoes", URL: "https://shop.example/?c={clickid}"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Spring", "Summer", "Autumn"} {
		body := switchyard.CampaignBody{Name: name, Alias: strings.ToLower(name) + "-sale", OfferID: &offer.ID}
		if _, err := c.CreateCampaign(ctx, body); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for row, err := range c.AllCampaigns(ctx, switchyard.ListCampaignsParams{Limit: 1, Sort: "name"}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, row.Name)
	}
	if got := strings.Join(names, " "); got != "Autumn Spring Summer" {
		t.Errorf("the pages have the campaigns %q, want three campaigns ordered by name", got)
	}
	report, err := c.GetPerformanceReport(ctx, switchyard.GetPerformanceReportParams{
		Dimension: "country,os", Only: switchyard.Filters{"offer_id": {offer.ID}}, Except: switchyard.Filters{"country": {"DE"}},
	})
	if err != nil || len(report.Dimensions) != 2 || len(report.Filters) != 2 {
		t.Errorf("the report is %+v with the error %v, want two dimensions and two filters", report, err)
	}
	if _, err := c.GetCampaign(ctx, "x"); switchyard.Code(err) != "invalid_id" {
		t.Errorf("GetCampaign with a malformed id returns the error %v, want invalid_id", err)
	}
	if _, err := switchyard.New(server.URL, "sy_f_wrong").GetPlan(ctx); switchyard.Code(err) != "unauthenticated" {
		t.Errorf("a call with a wrong key returns the error %v, want unauthenticated", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := c.Do(ended, http.MethodGet, "/api/v1/plan", nil, nil, nil); err == nil {
		t.Error("a call succeeded although its context has ended")
	}
}
