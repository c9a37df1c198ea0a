package click

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/encoding/htmlindex"

	"switchyard/api/click/visitor"
	dbclick "switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/models/template"
)

// TestField sends each message of the corpus in testdata/field through the code that reads it in production, and compares the
// result with the record of the entry, field by field.
func TestField(t *testing.T) {
	t.Parallel()
	list := fieldEntries(t)
	if len(list) < 200 {
		t.Errorf("the corpus has %d entries, want at least 200", len(list))
	}
	f := newFieldEnv(t, list)
	read := map[string]func(*fieldEntry) (record, error){
		"postbacks": f.postback, "notifications": f.postback, "links": f.link, "files": f.file,
	}
	for _, e := range list {
		kind, _, _ := strings.Cut(e.name, "/")
		got, err := record(nil), e.fault
		if err == nil {
			got, err = read[kind](e)
		}
		if err != nil {
			got = record{"error": err.Error()}
		}
		if faults := compareRecords(e.want, got); len(faults) > 0 {
			t.Errorf("%s:\n\t%s", e.name, strings.Join(faults, "\n\t"))
		}
	}
}

// fieldEnv has everything that the entries of the corpus name: their clicks, networks, traffic sources and campaigns.
type fieldEnv struct {
	*env
	reader conversion.Reader
	sent   int
}

func newFieldEnv(t *testing.T, list []*fieldEntry) *fieldEnv {
	t.Helper()
	f := &fieldEnv{env: newEnv(t)}
	f.reader = conversion.Reader{Store: storeOn(f.db), Clicks: dbclick.Log{Conn: f.db}}
	dbtest.Exec(t, f.db, `UPDATE accounts SET plan = 'scale'`)
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	for i, e := range list {
		e.click = idBefore(time.Minute)
		switch {
		case strings.HasPrefix(e.name, "links/"):
			f.addLink(e, i)
			continue
		case strings.HasPrefix(e.name, "files/"):
			continue
		}
		click := models.Click{ID: e.click, AccountID: f.account, CampaignID: uuid.New(), Currency: "USD"}
		if err := log.Append(t.Context(), spool.Record{Click: &click}); err != nil {
			t.Fatal(err)
		}
		f.addNetwork(e)
	}
	if err := ingest.NewIngester(log, f.db, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.reload()
	return f
}

func (f *fieldEnv) addNetwork(e *fieldEntry) {
	f.Helper()
	if e.set.Network == "" {
		return
	}
	n := models.Network{PostbackSecret: e.set.Secret}
	n.AccountID, n.PostbackParams, n.StatusMap = f.account, map[string]string{}, map[string][]string{}
	if e.set.Network != "own" {
		i := slices.IndexFunc(template.Networks(), func(s template.SavedNetwork) bool { return s.Network.Name == e.set.Network })
		if i < 0 {
			e.fault = fmt.Errorf("there is no template %s", e.set.Network)
			return
		}
		s := template.Networks()[i].Network
		n.Currency, n.ClickParam, n.Macros = s.Currency, s.ClickParam, s.Macros
		maps.Copy(n.PostbackParams, s.PostbackParams)
		maps.Copy(n.StatusMap, s.StatusMap)
	}
	n.Name, n.URL, n.PostbackScheme = e.name, "https://network.example/", e.set.Scheme
	maps.Copy(n.PostbackParams, e.set.Params)
	maps.Copy(n.StatusMap, e.set.Statuses)
	saved, err := storeOn(f.db).Networks().Create(f.Context(), n)
	if err != nil {
		f.Fatalf("the network of %s cannot be created: %v", e.name, err)
	}
	e.network = saved.ID
}

// addLink adds the traffic source and the campaign of a tracking link.
func (f *fieldEnv) addLink(e *fieldEntry, i int) {
	f.Helper()
	s := template.Source{CostParam: e.set.Cost, ExternalIDParam: e.set.ExternalID, CostModel: "cpc"}
	for _, name := range e.set.Tokens {
		s.TokenMacros = append(s.TokenMacros, models.TokenMacro{Param: name, Macro: "{" + name + "}"})
	}
	if e.set.Source != "" {
		found, ok := template.FindSource(e.set.Source)
		if !ok {
			f.Fatalf("%s: there is no template %s", e.name, e.set.Source)
		}
		s = found
	}
	macros, err := json.Marshal(s.TokenMacros)
	if err != nil {
		f.Fatal(err)
	}
	id := uuid.New()
	dbtest.Exec(f, f.db, `INSERT INTO traffic_sources (id, account_id, name, token_macros, cost_param, cost_model, external_id_param)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, id, f.account, e.name, string(macros), s.CostParam, s.CostModel, s.ExternalIDParam)
	e.link = fmt.Sprintf("field-link-%d", i)
	columns := m{"source_id": id, "cost_model": "auto"}
	if e.set.Currency != "" {
		columns["currency"] = e.set.Currency
	}
	f.campaign(e.link, columns, path("redirect", nil, m{"url": "https://shop.example/", "weight": 1}))
}

func (f *fieldEnv) request(e *fieldEntry) (*http.Request, error) {
	text := e.fill(e.message)
	head, body, _ := strings.Cut(text, "\n\n")
	line, headers, _ := strings.Cut(head, "\n")
	if !strings.HasSuffix(line, " HTTP/1.1") {
		line += " HTTP/1.1"
	}
	if !strings.Contains(strings.ToLower("\n"+headers), "\nhost:") {
		headers = "Host: " + sharedHost + "\n" + headers
	}
	head = strings.ReplaceAll(line+"\n"+strings.TrimSpace(headers)+"\n\n", "\n", "\r\n")
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head)))
	if err != nil {
		return nil, err
	}
	sent, err := e.encode(body)
	if err != nil {
		return nil, err
	}
	if e.set.Sign != "" {
		sent = signers[e.set.Scheme](e, r.Header, sent)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
	f.sent++
	r.RemoteAddr = fmt.Sprintf("9.9.%d.%d:4000", f.sent/250, f.sent%250)
	return r.WithContext(f.Context()), nil
}

// fill replaces {click}, {network} and {link} by the ids of the entry's click and network and by the alias of its link.
func (e *fieldEntry) fill(text string) string {
	return strings.NewReplacer("{click}", models.FormatClickID(e.click), "{network}", e.network.String(), "{link}", e.link).Replace(text)
}

// encode returns a text with the charset, the line ends and the byte order mark of the entry.
func (e *fieldEntry) encode(text string) ([]byte, error) {
	switch e.set.Lines {
	case "crlf":
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case "cr":
		text = strings.ReplaceAll(text, "\n", "\r")
	}
	if e.set.Bom {
		text = "\uFEFF" + text
	}
	if e.set.Charset == "" {
		return []byte(text), nil
	}
	charset, err := htmlindex.Get(e.set.Charset)
	if err != nil {
		return nil, err
	}
	return charset.NewEncoder().Bytes([]byte(text))
}

// postback sends a postback or a notification, and reads it like the job that records its conversion.
func (f *fieldEnv) postback(e *fieldEntry) (record, error) {
	r, err := f.request(e)
	if err != nil {
		return nil, err
	}
	before := len(f.spool.records)
	answer := httptest.NewRecorder()
	f.h.ServeHTTP(answer, r)
	got := record{}
	if answer.Code != http.StatusOK {
		var reply struct{ Error struct{ Code string } }
		_ = json.Unmarshal(answer.Body.Bytes(), &reply)
		got["answer"] = fmt.Sprint(answer.Code, " ", reply.Error.Code)
	}
	if len(f.spool.records) == before {
		return got, nil
	}
	return got, f.readPostback(e, *f.spool.postback(), got)
}

// readPostback adds to a record what the stored postback says.
func (f *fieldEnv) readPostback(e *fieldEntry, p models.Postback, into record) error {
	proof, err := f.reader.Store.OpenProof(f.Context(), p.ID, p.Proof)
	if err != nil {
		return err
	}
	p.Params, p.Signature, p.SignedText, p.Raw = proof.Reveal(p.Params), proof.Signature, proof.SignedText, proof.Raw
	v, err := f.reader.Read(f.Context(), conversion.NewMessage(p), false)
	if err != nil {
		return err
	}
	if v.Decision.Outcome != "" {
		into["outcome"] = v.Decision.Outcome
		return nil
	}
	m := v.Message.Fields()
	if v.Decision.ClickID == e.click {
		into["click"] = "{click}"
	}
	into.set("wait", v.Wait)
	if m.Payout != nil {
		into["payout"] = m.Payout.String()
	}
	into.set("invalid_payout", m.InvalidPayout)
	into.set("reason", m.PayoutReason)
	into.set("currency", m.Currency)
	into.set("status", m.Status)
	into.set("goal", m.Goal)
	into.set("conversion_id", m.ConversionID)
	if m.Cost != nil {
		into["cost"] = m.Cost.String()
	}
	into.setTime("time", m.Time)
	into.setSubs(m.Subs)
	for i, in := range v.More {
		into.setInput(fmt.Sprintf("more.%d.", i+1), in)
	}
	return nil
}

// setInput adds the fields of a further conversion of the message.
func (r record) setInput(at string, in conversion.Input) {
	if in.Payout != nil {
		r[at+"payout"] = in.Payout.String()
	}
	r.set(at+"currency", in.Currency)
	r.set(at+"status", in.Status)
	r.set(at+"goal", in.Goal)
	r.set(at+"conversion_id", in.ConversionID)
}

// link requests a tracking link as a browser does, and returns the fields of the click.
func (f *fieldEnv) link(e *fieldEntry) (record, error) {
	r, err := f.request(e)
	if err != nil {
		return nil, err
	}
	language, device := r.Header.Get("Accept-Language"), r.UserAgent()
	if language == "" {
		r.Header.Set("Accept-Language", "en-US,en;q=0.9")
	}
	if device == "" {
		r.Header.Set("User-Agent", chrome)
	}
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", visitor.Accept(r.UserAgent()))
	}
	before := len(f.spool.clicks())
	answer := httptest.NewRecorder()
	f.h.ServeHTTP(answer, r)
	got := record{}
	if answer.Code != http.StatusFound {
		got["answer"] = strconv.Itoa(answer.Code)
	}
	if len(f.spool.clicks()) == before {
		return got, nil
	}
	c := f.spool.last()
	if !c.Cost.IsZero() {
		got["cost"] = c.Cost.String()
	}
	got.set("currency", c.Currency)
	got.set("external_id", c.ExternalID)
	got.set("keyword", c.Keyword)
	got.setSubs(c.Subs)
	if language != "" {
		got.set("language", c.Language)
	}
	if device != "" {
		got.set("device", c.DeviceType)
		got.set("os", strings.TrimSpace(c.OS+" "+c.OSVersion))
		got.set("browser", c.Browser)
	}
	if c.IsBot {
		got["bot"] = c.BotReason
	}
	return got, nil
}

// file reads a file of conversions or of spend as the job of a correction does.
func (f *fieldEnv) file(e *fieldEntry) (record, error) {
	text, err := e.encode(e.fill(e.message))
	if err != nil {
		return nil, err
	}
	got := record{}
	if e.set.Rows == "conversions" {
		rows, skips, err := correction.ReadConversions(string(text), nil)
		for _, row := range rows {
			e.addConversion(got, row)
		}
		addSkips(got, skips)
		return got, err
	}
	rows, skips, err := correction.ReadCosts(string(text), correction.CostOptions{Source: e.set.Source})
	for _, row := range rows {
		addSpend(got, row)
	}
	addSkips(got, skips)
	return got, err
}

func addSkips(into record, skips correction.Skips) {
	for _, s := range skips.Skipped {
		for line := s.Line; line <= s.Last; line++ {
			into[fmt.Sprintf("skipped.%d", line)] = s.Reason
		}
	}
}

func (e *fieldEntry) addConversion(into record, v correction.Conversion) {
	at := fmt.Sprintf("lines.%d.", v.Line)
	if v.Refusal != "" {
		into[at+"refused"] = v.Refusal
		return
	}
	if v.ClickID == e.click {
		into[at+"click"] = "{click}"
	}
	if v.Payout != nil {
		into[at+"payout"] = v.Payout.String()
	}
	into.set(at+"currency", v.Currency)
	into.set(at+"status", v.Status)
	into.set(at+"goal", v.Goal)
	into.set(at+"conversion_id", v.ConversionID)
	into.setTime(at+"time", v.Time)
}

func addSpend(into record, v correction.Cost) {
	at := fmt.Sprintf("lines.%d.", v.Line)
	if v.Refusal != "" {
		into[at+"refused"] = v.Refusal
		return
	}
	into[at+"day"], into[at+"spend"] = v.Day.Format(time.DateOnly), v.Spend.String()
	into.set(at+"source", v.Source)
	into.set(at+"campaign", v.Campaign)
	into.set(at+"currency", v.Currency)
	if v.Clicks != nil {
		into[at+"clicks"] = strconv.FormatInt(*v.Clicks, 10)
	}
	if v.Impressions != nil {
		into[at+"impressions"] = strconv.FormatInt(*v.Impressions, 10)
	}
}
