package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api"
	"switchyard/api/openapi"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/workers/webhook"
)

var update = flag.Bool("update", false, "write the golden files anew")

const root = "../../../.."

// The flag -update rewrites the file.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i, line := range gotLines {
		if i >= len(wantLines) || line != wantLines[i] {
			t.Fatalf("%s differs from line %d on, which is now\n%s\nIf that is meant: make generate, and read the difference",
				path, i+1, line)
		}
	}
	t.Fatalf("%s has %d more lines. If that is meant: make generate", path, len(wantLines)-len(gotLines))
}

// TestGoldenDocument checks that openapi.json in the repository equals the served document.
func TestGoldenDocument(t *testing.T) {
	t.Parallel()
	text, err := json.MarshalIndent(api.Document(api.Deps{BaseURL: "https://track.example.com", Version: "test"}), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, root+"/cmd/switchyard/testdata/openapi.json", append(text, '\n'))
}

// TestGoldenTracking checks that the page about tracking domains in the repository equals the served page.
func TestGoldenTracking(t *testing.T) {
	t.Parallel()
	golden(t, root+"/ops/docs/tracking.md", openapi.Tracking())
}

// TestGoldenWebhook checks the parts of a webhook that a receiver reads: every byte of the body, and its signature with two
// secrets.
func TestGoldenWebhook(t *testing.T) {
	t.Parallel()
	id := func(n byte) uuid.UUID { return uuid.UUID{15: n} }
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	c := models.Conversion{
		ClickID: id(1), ConversionID: "order <1>", Status: models.StatusApproved, Payout: decimal.New(12345, -2), Currency: "EUR",
		Goal: "né", CampaignID: id(2), OfferID: id(3), RecordedAt: at, Source: models.FromPostback,
	}
	click := models.Click{ExternalID: "gclid-1", Subs: [models.Subs]string{"ad7", 9: "ten"}}
	e := models.NewEvent(id(4), models.EventConversionCreated, at, c.Event(&click))
	body := bytes.ReplaceAll(e.Body, []byte(e.ID.String()), []byte(id(5).String()))
	signature := webhook.Sign(body, at, []byte("whsec_new"), []byte("whsec_old"))
	golden(t, "testdata/webhook.txt", fmt.Appendf(nil, "%s: %s\n\n%s\n", webhook.HeaderSignature, signature, body))
}

// TestGoldenFiles checks an export of every kind. Values that differ from run to run are replaced by <id>, <click>, <time> and
// <date>.
func TestGoldenFiles(t *testing.T) {
	t.Parallel()
	x := newExportEnv(t)
	full := x.clicks[0]
	full.ID, full.ASN, full.BotScore = models.NewClickID(), 64500, 7
	fill(reflect.ValueOf(&full).Elem(), "")
	x.clicks = append([]models.Click{full}, x.clicks...)
	storeRecords(x.t, x.s.DB, spool.Record{Click: &full})
	x.smartlinks()
	s := x.s.Do("POST", "/traffic-sources", map[string]any{"name": "Source"}).Want(201, "")
	for _, kind := range models.ExportKinds {
		body := map[string]any{"kind": kind}
		if kind == models.ExportDifference {
			body["source_id"] = s.Map()["id"]
		}
		text, _ := x.text(body)
		for _, varies := range []struct{ form, name string }{
			{`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "<id>"},
			{`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?`, "<time>"},
			{`\d{4}-\d\d-\d\d`, "<date>"},
			{`\b[0-9A-Za-z]{22}\b`, "<click>"},
		} {
			text = regexp.MustCompile(varies.form).ReplaceAll(text, []byte(varies.name))
		}
		golden(t, "testdata/"+kind+".csv", text)
	}
}

func fill(v reflect.Value, name string) {
	switch v.Kind() { //nolint:exhaustive // the kinds that hold texts
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), name+strconv.Itoa(i+1))
		}
	case reflect.String:
		if v.CanSet() && v.String() == "" {
			v.SetString(name)
		}
	}
}
