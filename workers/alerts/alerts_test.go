package alerts_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbalerts "switchyard/db/alerts"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
	"switchyard/workers/alerts"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/chat"
	"switchyard/workers/providers/mail"
	"switchyard/workers/providers/mail/mailtest"
)

const botToken = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"

type chatMessage struct {
	path string
	body map[string]any
}

// env is an account with a webhook endpoint, a mail server, and a server that plays the part of all chat services.
type env struct {
	*testing.T
	db      *db.DB
	store   *store.Store
	client  *jobs.Client
	account uuid.UUID
	hook    uuid.UUID
	smtp    *mailtest.Server
	url     string

	mu       sync.Mutex
	messages []chatMessage
	down     bool
}

func newEnv(t *testing.T) *env {
	t.Helper()
	w := &env{T: t, db: dbtest.New(t), account: uuid.New(), hook: uuid.New(), smtp: mailtest.New(t)}
	dbtest.Exec(w, w.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, $2, 'growth', 'k')`, w.account, "Acme\r\nBcc: <all@acme.com>")
	box, err := seal.New(w.db, []byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	w.store = store.New(w.db, box)
	dbtest.Exec(w, w.db, `INSERT INTO webhook_endpoints (id, account_id, name, url, events, secret) VALUES ($1, $2, '<!channel> @everyone `+"```"+`', 'https://h.acme.com', '{}', '')`,
		w.hook, w.account)
	chats := httptest.NewTLSServer(http.HandlerFunc(w.chat))
	t.Cleanup(chats.Close)
	w.url = chats.URL
	sender, err := mail.New(mail.Options{URL: w.smtp.URL, From: "alerts@track.acme.com", CAFile: w.smtp.CAFile})
	if err != nil {
		t.Fatal(err)
	}
	queue := jobstest.Redis(t)
	w.client = jobs.Connect(queue)
	rt := workers.New(workers.Options{DB: w.db, Redis: queue, Client: w.client, Grace: 4 * time.Second})
	alerts.Register(rt, w.store, alerts.Options{
		Alerts: dbalerts.Reader{Store: w.store, Figures: report.Reader{Conn: w.db}}, Mail: sender, From: "https://track.acme.com",
		Chat:     chat.New(chat.Options{Egress: egresstest.Client(t, chats, egress.Options{}), Telegram: chats.URL}),
		Schedule: []time.Duration{time.Millisecond},
	})
	jobstest.Run(t, rt.Run)
	return w
}

func (w *env) chat(rw http.ResponseWriter, r *http.Request) {
	v := chatMessage{path: r.URL.Path}
	if err := json.NewDecoder(r.Body).Decode(&v.body); err != nil {
		w.Error(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		rw.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintf(rw, `{"ok":false,"description":"no, %s"}`, r.URL.Path)
		return
	}
	w.messages = append(w.messages, v)
	_, _ = rw.Write([]byte(`{"ok":true}`))
}

func (w *env) add(kind, least string, credentials map[string]string) uuid.UUID {
	w.Helper()
	k, _ := models.AlertChannelKindNamed(kind)
	complete, err := k.Complete(credentials, nil)
	if err != nil {
		w.Fatal(err)
	}
	c, messages, err := dbalerts.NewChannels(w.store).Add(w.Context(), models.AlertChannel{AccountID: w.account, MinSeverity: least}, k, complete)
	if err != nil {
		w.Fatal(err)
	}
	w.client.DispatchFor(w.Context(), w.account, models.KindSendAlert, messages...)
	w.waitSent()
	return c.ID
}

func (w *env) waitSent() {
	w.Helper()
	await.Until(w, "messages are sent", func() bool {
		return dbtest.Get[int](w, w.db, `SELECT count(*) FROM jobs WHERE state IN ('pending', 'running')`) == 0
	})
}

// sweep runs the clock's job as if a minute had passed.
func (w *env) sweep() {
	w.Helper()
	dbtest.Exec(w, w.db, `UPDATE alert_watches SET looked_at = '-infinity'`)
	ticket, err := jobs.Submit(w.Context(), w.client, jobs.SweepAlerts, uuid.Nil, jobs.Tick{})
	if err == nil {
		_, err = jobs.Await(w.Context(), ticket)
	}
	if err != nil {
		w.Fatal(err)
	}
	w.waitSent()
}

func (w *env) setFailures(times int) {
	w.Helper()
	dbtest.Exec(w, w.db, `UPDATE webhook_endpoints SET consecutive_failures = $2, failing_since = CASE WHEN $2 > 0 THEN now() END WHERE id = $1`, w.hook, times)
}

// received returns the messages that the chats have received since its last call, by path.
func (w *env) received() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]string{}
	for _, v := range w.messages {
		out[v.path] += fmt.Sprint(v.body["text"], v.body["content"])
	}
	w.messages = nil
	return out
}

func codeIn(mail string) string {
	_, code, _ := strings.Cut(mail, "code is ")
	return code[:8]
}

// TestAnnounce checks that the beginning and the end of an alert are announced once to every channel that receives such alerts.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.add(models.ChannelSlack, "warning", map[string]string{"url": w.url + "/slack"})
	w.add(models.ChannelDiscord, "warning", map[string]string{"url": w.url + "/discord"})
	w.add(models.ChannelTelegram, "warning", map[string]string{"bot_token": botToken, "chat_id": "-100"})
	w.add(models.ChannelSlack, "critical", map[string]string{"url": w.url + "/severe"})
	off := w.add(models.ChannelSlack, "warning", map[string]string{"url": w.url + "/off"})
	no := false
	if _, err := dbalerts.NewChannels(w.store).Update(t.Context(), w.account, off, nil, nil, &no); err != nil {
		t.Fatal(err)
	}
	address := w.add(models.ChannelEmail, "warning", map[string]string{"address": "buyer@acme.com"})
	code := codeIn(w.smtp.Received()[0].Text)

	w.sweep()
	if got := w.received(); len(got) != 0 {
		t.Errorf("messages although no alert began: %v", got)
	}
	w.setFailures(3)
	w.sweep()
	w.sweep()
	got := w.received()
	paths := []string{"/bot" + botToken + "/sendMessage", "/discord", "/slack"}
	if len(got) != len(paths) {
		t.Fatalf("the chats received %v", got)
	}
	for _, path := range paths {
		text := got[path]
		if strings.Count(text, "BEGAN (warning) webhook.failing") != 1 || !strings.Contains(text, "the last 3 attempts to deliver failed") ||
			!strings.Contains(text, "https://track.acme.com/api/v1/alerts") || !strings.Contains(text, "See in the log of deliveries") {
			t.Errorf("%s: %s", path, text)
		}
	}
	if strings.Contains(got["/slack"], "<!channel>") || strings.Count(got["/discord"], "```") != 2 {
		t.Errorf("a name is not escaped: %v", got)
	}
	if n := len(w.smtp.Received()); n != 1 {
		t.Errorf("an unconfirmed address received %d messages", n)
	}

	for range models.AlertCodeTries - 1 {
		if e, ok := models.AsError(dbalerts.NewChannels(w.store).Confirm(t.Context(), w.account, address, "12")); !ok || e.Code != "invalid_code" {
			t.Errorf("confirming with a wrong code: %v, want invalid_code", e)
		}
	}
	if err := dbalerts.NewChannels(w.store).Confirm(t.Context(), w.account, address, code); err != nil {
		t.Fatal(err)
	}
	w.setFailures(0)
	w.sweep()
	w.sweep()
	if got = w.received(); len(got) != len(paths) || strings.Count(got["/slack"], "ENDED webhook.failing") != 1 {
		t.Errorf("when the alert ended, the chats received %v, want one message each", got)
	}
	mails := w.smtp.Received()
	if len(mails) != 2 {
		t.Fatalf("the mails are %+v, want the code and the end of the alert", mails)
	}
	m := mails[1]
	if m.To != "buyer@acme.com" || m.From != "alerts@track.acme.com" || !strings.Contains(m.Text, "ENDED webhook.failing") ||
		!strings.HasPrefix(m.Subject, "[Switchyard] Acme Bcc: <all@acme.com>: webhook.failing ended") || m.Header.Get("Bcc") != "" ||
		m.Header.Get("Message-Id") == "" {
		t.Errorf("%+v", m)
	}
	w.setFailures(4)
	w.sweep()
	if mails = w.smtp.Received(); len(mails) != 3 {
		t.Fatalf("the mails are %+v, want one more for the new alert", mails)
	}
	m = mails[2]
	if !strings.HasPrefix(m.Subject, "[Switchyard] Acme Bcc: <all@acme.com>: webhook.failing") || strings.Contains(m.Subject, "ended") ||
		!strings.Contains(m.Text, "BEGAN (warning) webhook.failing") || !strings.Contains(m.Text, "the last 4 attempts to deliver failed") ||
		!strings.Contains(m.Text, "See in the log of deliveries") || m.Header.Get("Bcc") != "" || m.To != "buyer@acme.com" ||
		!strings.HasPrefix(m.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("the mail about the beginning of the alert is %+v", m)
	}
}

// TestCode checks that a confirmation code becomes invalid after five wrong codes, and after a day.
func TestCode(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.add(models.ChannelEmail, "warning", map[string]string{"address": "buyer@acme.com"})
	code := codeIn(w.smtp.Received()[0].Text)
	wantRefused := func(code string) {
		t.Helper()
		if e, ok := models.AsError(dbalerts.NewChannels(w.store).Confirm(t.Context(), w.account, id, code)); !ok || e.Code != "invalid_code" {
			t.Errorf("%v", e)
		}
	}
	dbtest.Exec(w, w.db, `UPDATE alert_channels SET code_until = now()`)
	wantRefused(code)
	dbtest.Exec(w, w.db, `UPDATE alert_channels SET code_until = now() + interval '1 day'`)
	for range models.AlertCodeTries {
		wantRefused("00")
	}
	wantRefused(code)
	if err := dbalerts.NewChannels(w.store).Confirm(t.Context(), uuid.New(), id, code); err == nil {
		t.Error("another account could confirm the channel")
	}
}

// TestFailingChannel checks that a message that is not accepted is tried again. The channel shows the reason without its secret.
func TestFailingChannel(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.add(models.ChannelTelegram, "warning", map[string]string{"bot_token": botToken, "chat_id": "-100"})
	id := w.add(models.ChannelEmail, "warning", map[string]string{"address": "buyer@acme.com"})
	dbtest.Exec(w, w.db, `UPDATE alert_channels SET code = '' WHERE id = $1`, id)
	w.mu.Lock()
	w.down = true
	w.mu.Unlock()
	w.smtp.Refuse("no such person, says " + mailtest.Password)
	w.setFailures(3)
	w.sweep()
	list, err := dbalerts.NewChannels(w.store).List(t.Context(), w.account)
	if err != nil || len(list) != 2 {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Failures != 2 || c.FailingSince == nil || c.Failure == "" || strings.Contains(c.Failure, "AAHdq") || strings.Contains(c.Failure, mailtest.Password) {
			t.Errorf("%+v", c)
		}
	}
	if !slices.ContainsFunc(list, func(c models.AlertChannel) bool { return strings.Contains(c.Failure, "no such person") }) {
		t.Errorf("the mail server's error text is missing: %+v", list)
	}
	if n := dbtest.Get[int](w, w.db, `SELECT count(*) FROM jobs WHERE error::text LIKE '%AAHdq%'`); n != 0 {
		t.Error("a job's error has a secret")
	}
	w.mu.Lock()
	w.down = false
	w.mu.Unlock()
	w.smtp.Refuse("")
	w.setFailures(0)
	w.sweep()
	if list, err = dbalerts.NewChannels(w.store).List(t.Context(), w.account); err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Failures != 0 || c.FailingSince != nil || c.SentAt == nil {
			t.Errorf("the channel works again, but its failure is not cleared: %+v", c)
		}
	}
	if got := w.received(); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// TestHour checks the limit of an account's messages in an hour. In the next hour, only the differences from the last message are
// announced.
func TestHour(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.add(models.ChannelSlack, "warning", map[string]string{"url": w.url + "/slack"})
	for i := range models.AlertMessagesAnHour + 3 {
		w.setFailures(3 * (1 - i%2)) // 3 and 0 in turn
		w.sweep()
	}
	w.mu.Lock()
	n := len(w.messages)
	w.mu.Unlock()
	if n != models.AlertMessagesAnHour {
		t.Errorf("%d messages were sent in an hour, want the limit", n)
	}
	w.received()
	dbtest.Exec(w, w.db, `UPDATE alert_messages SET created_at = created_at - interval '2 hours'`)
	w.sweep()
	if got := w.received()["/slack"]; strings.Count(got, "BEGAN") != 1 || strings.Contains(got, "ENDED") {
		t.Errorf("an hour later the chat received %s, want the alert that began", got)
	}
}

// TestTry checks that a test message reports whether it was delivered. An unconfirmed channel gets none.
func TestTry(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	try := func(id uuid.UUID) (jobs.TestedAlert, error) {
		t.Helper()
		ticket, err := jobs.Submit(t.Context(), w.client, jobs.TestAlert, w.account, jobs.TestAlertArgs{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return jobs.Await(t.Context(), ticket)
	}
	slack := w.add(models.ChannelSlack, "warning", map[string]string{"url": w.url + "/slack"})
	if got, err := try(slack); err != nil || !got.Sent || len(w.received()) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	private := w.add(models.ChannelDiscord, "warning", map[string]string{"url": "https://10.0.0.1/hook-secret"})
	if got, err := try(private); err != nil || got.Sent || got.Error == "" || strings.Contains(got.Error, "hook-secret") {
		t.Errorf("the test of a channel at a private address gave %+v, %v, want an error without the secret", got, err)
	}
	if _, err := try(w.add(models.ChannelEmail, "warning", map[string]string{"address": "a@acme.com"})); err == nil {
		t.Error("a test was sent to an unconfirmed address")
	}
	if _, err := try(uuid.New()); err == nil {
		t.Error("testing a channel that does not exist gave no error")
	}
}
