package chat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/copilot"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/tool"
	"switchyard/workers/chat"
	"switchyard/workers/providers/ai/aitest"
	"switchyard/workers/providers/rest/resttest"
)

// slowCampaign is the id of a campaign whose changes take long to read.
const slowCampaign = "0197a0c4-0000-7000-8000-000000000001"

// reads is a fake API. It records the requests and their accounts.
type reads struct {
	mu        sync.Mutex
	requested []string
}

func (a *reads) handlerFor(account uuid.UUID) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.requested = append(a.requested, account.String()+" "+r.Method+" "+r.URL.String())
		a.mu.Unlock()
		switch r.URL.Path {
		case "/stats/overview":
			_, _ = fmt.Fprint(w, `{"data":{"clicks":1234,"profit":-50.25,"range":{"from":"x"}},"error":null}`)
		case "/reports/performance":
			rows := strings.Repeat(`{"clicks":10,"dims":{"sub1":"a"},"ip":"192.0.2.77"},`, 60)
			_, _ = fmt.Fprintf(w, `{"data":{"rows":[%s],"token":"canary-token","url":"https://x.example/p?secret=canary-query"},"error":null}`, rows[:len(rows)-1])
		case "/traffic-sources": // as many rows as were asked for
			_, _ = fmt.Fprintf(w, `{"data":{"rows":[%s{"clicks":7}]},"error":null}`, strings.Repeat(`{"clicks":7},`, 19))
		case "/reports/values":
			_, _ = fmt.Fprint(w, `{"data":{"values":[{"clicks":3},{"clicks":4}]},"error":null}`)
		case "/logs/clicks":
			_, _ = fmt.Fprintf(w, `{"data":{"rows":[{"keyword":%q}]},"error":null}`, strings.Repeat("k", 5<<20))
		case "/alerts":
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = fmt.Fprint(w, `canary of a crash`)
		case "/reports/trends":
			_, _ = fmt.Fprint(w, `{"data":{"bucket":"day","rows":[{"bucket":"2026-11-01","clicks":1234}]},"error":null}`)
		case "/tools/simulate":
			body, _ := io.ReadAll(r.Body)
			_, _ = fmt.Fprintf(w, `{"data":{"decision":{"path":"Path B","via":"regular"},"distribution":[{"path":%q,"count":100}]},"error":null}`, body)
		case "/campaigns/" + slowCampaign + "/changes":
			w.WriteHeader(http.StatusAccepted)
			_, _ = fmt.Fprint(w, `{"data":{"job":{}},"error":null}`)
		default:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"data":null,"error":{"code":"invalid_input","message":"from is not a date"}}`)
		}
	})
}

func newChat(t *testing.T, change func(*chat.Options)) (*env, *reads) {
	t.Helper()
	api := &reads{}
	return newEnv(t, func(o *chat.Options) {
		o.Reads = api.handlerFor
		if change != nil {
			change(o)
		}
	}), api
}

const readOnly = true

func (w *env) question(readOnly bool) (jobs.ChatReply, error) {
	w.Helper()
	return do(w, jobs.AnswerChat, w.account.ID, jobs.ChatArgs{ReadOnly: readOnly, Turns: []jobs.ChatTurn{{Text: "How is it going?"}}})
}

// script sets the answers of the model, one after the other. The last answer is repeated.
func (w *env) script(list ...aitest.Turn) {
	w.Reply = func(aitest.Received) aitest.Turn {
		turn := list[0]
		if len(list) > 1 {
			list = list[1:]
		}
		return turn
	}
}

func call(name, arguments string) aitest.Call { return aitest.Call{Name: name, Arguments: arguments} }

// TestAnswer checks that the model looks up data and answers. A line after the answer names the figures of the answer that the model did
// not read.
func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, p := range models.AIProviders {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			w, api := newChat(t, nil)
			w.connect(w.account.ID, p.Name)
			w.script(aitest.Turn{Calls: []aitest.Call{
				call("get_trend", `{"from":"2026-11-01"}`),
				call("run_report", `{"dimension":"sub1","filters":[{"dimension":"country","value":"DE"}]}`),
			}}, aitest.Turn{Text: "1,234 clicks, a loss of 50, and 468 more than last week."})
			got, err := w.question(!readOnly)
			if err != nil || !got.Available || got.Using != "account" || len(got.Proposals) > 0 ||
				!strings.HasSuffix(got.Answer, "last week.\n\nNot confirmed by what was looked up: 468.") {
				t.Fatalf("%+v, %v", got, err)
			}
			if l := got.Lookups; len(l) != 3 || l[0].Operation != "GET /stats/overview" || l[0].Query["from"] != "2026-11-01" || l[0].Rows != 1 ||
				l[2].Operation != "GET /reports/performance" || l[2].Rows != 60 || l[2].Query["f.country"] != "DE" || l[2].Query["limit"] != "1000" {
				t.Errorf("%+v", l)
			}
			for _, asked := range api.requested {
				if !strings.HasPrefix(asked, w.account.ID.String()+" GET /") {
					t.Error(asked)
				}
			}
			asked := w.Questions()
			last := asked[len(asked)-1]
			mark := regexp.MustCompile(`data-[A-Z2-7]+`).FindString(last.System)
			for _, r := range last.Results {
				if r.Failed || !strings.HasPrefix(r.Text, "<"+mark+">") || !strings.HasSuffix(r.Text, "</"+mark+">") || mark == "" {
					t.Errorf("the result %+v has failed, or is not between the marks", r)
				}
			}
			for _, private := range []string{"canary", "192.0.2.77"} {
				if strings.Contains(last.Raw, private) {
					t.Errorf("a prompt contains %s: %s", private, last.Raw)
				}
			}
			if !strings.Contains(last.Raw, "rows_left_off: 35") {
				t.Errorf("the prompt does not say that 35 rows were left off: %s", last.Raw)
			}
		})
	}
}

// TestAnswerSimulates checks that the model simulates a visitor and searches the documentation. The look-up names the campaign, so
// that the dashboard can link to it.
func TestAnswerSimulates(t *testing.T) {
	t.Parallel()
	w, api := newChat(t, func(o *chat.Options) {
		o.Docs = tool.NewLibrary([]tool.Page{{Name: "rules", Text: "# Rules\n\nA path without conditions takes everybody.\n"}})
	})
	w.connect(w.account.ID, "openai")
	w.script(aitest.Turn{Calls: []aitest.Call{
		call("simulate_visitor", `{"campaign_id":"`+slowCampaign+`","visitor":{"country":"DE"}}`), call("search_docs", `{"q":"path without conditions"}`),
	}}, aitest.Turn{Text: "Germans take Path B."})
	got, err := w.question(readOnly)
	if err != nil || !got.Available || len(got.Lookups) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if l := got.Lookups[0]; l.Operation != "POST /tools/simulate" || l.Query["id"] != slowCampaign || l.Error != "" {
		t.Errorf("%+v", l)
	}
	if len(api.requested) != 1 || !strings.Contains(api.requested[0], " POST /tools/simulate") {
		t.Error(api.requested)
	}
	asked := w.Questions()
	results := asked[len(asked)-1].Results
	if len(results) != 2 || !strings.Contains(results[0].Text, "country") || !strings.Contains(results[0].Text, "Path B") || !strings.Contains(results[1].Text, "takes everybody") {
		t.Errorf("%+v", results)
	}
}

// TestAnswerTotals checks that the sum of the rows that were read confirms a total only if all rows were read.
func TestAnswerTotals(t *testing.T) {
	t.Parallel()
	w, _ := newChat(t, nil)
	w.connect(w.account.ID, "openai")
	for _, c := range []struct{ tool, arguments, answer, missing string }{
		{"find_records", `{"kind":"source"}`, "In total 140 clicks of 20 sources.", "140; 20"},
		{"list_values", `{"dimension":"os"}`, "In total 7 clicks of 2 values.", ""},
	} {
		w.script(aitest.Turn{Calls: []aitest.Call{call(c.tool, c.arguments)}}, aitest.Turn{Text: c.answer})
		want := c.answer
		if c.missing != "" {
			want += "\n\nNot confirmed by what was looked up: " + c.missing + "."
		}
		if got, err := w.question(!readOnly); err != nil || got.Answer != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// TestAnswerByEveryDimension checks that the model may group and filter by every dimension of reports except the visitor's address.
func TestAnswerByEveryDimension(t *testing.T) {
	t.Parallel()
	w, _ := newChat(t, nil)
	w.connect(w.account.ID, "openai")
	for group := range slices.Chunk(slices.DeleteFunc(report.Dimensions(), func(d string) bool { return d == "ip" }), 6) {
		var calls []aitest.Call
		for _, d := range group {
			calls = append(calls, call("run_report", fmt.Sprintf(`{"dimension":%q,"filters":[{"dimension":%q,"value":"x"}]}`, d, d)))
		}
		w.script(aitest.Turn{Calls: calls}, aitest.Turn{Text: "Well."})
		got, err := w.question(!readOnly)
		if err != nil || len(got.Lookups) != len(group) {
			t.Errorf("%v: %+v, %v", group, got, err)
		}
	}
}

// TestAnswerWrong checks that a wrong call is not sent to the API. The model receives the error.
func TestAnswerWrong(t *testing.T) {
	t.Parallel()
	w, api := newChat(t, nil)
	w.connect(w.account.ID, "openai")
	for _, c := range []aitest.Call{
		call("drop_tables", `{}`), call("get_trend", `{"from":`), call("get_trend", `[]`), call("get_trend", `{"account":"x"}`),
		call("get_trend", `{"from":{"x":1}}`), call("get_trend", `{"from":"`+strings.Repeat("x", 600)+`"}`),
		call("run_report", `{"dimension":"ip"}`), call("list_values", `{"dimension":"sub1, ip"}`),
		call("run_report", `{"filters":[{"dimension":"ip","value":"1"}]}`), call("run_report", `{"filters":"x"}`),
		call("get_campaign", `{}`), call("get_campaign", `{"id":"../../settings"}`), call("propose", `{}`),
		call("propose", `{"reason":"y","action":{"op":"delete_account"}}`),
		call("propose", `{"reason":"y","action":{"op":"pause_campaign","campaign_id":"`+uuid.NewString()+`"}}`),
		call("propose", `{"reason":"y","sql":"DELETE"}`),
	} {
		var result aitest.Result
		w.Reply = func(a aitest.Received) aitest.Turn {
			if len(a.Results) == 0 {
				return aitest.Turn{Calls: []aitest.Call{c}}
			}
			result = a.Results[0]
			return aitest.Turn{Text: "Sorry."}
		}
		got, err := w.question(!readOnly)
		if err != nil || got.Answer != "Sorry." || len(got.Lookups)+len(got.Proposals) > 0 || result.Text == "" || strings.Contains(result.Text, "rows_left_off") {
			t.Errorf("%s %s: %+v, %+v, %v", c.Name, c.Arguments, got, result, err)
		}
	}
	if len(api.requested) > 0 {
		t.Error(api.requested)
	}
}

// TestAnswerFailing checks that the model receives the reason if a look-up fails, but no detail of a crash.
func TestAnswerFailing(t *testing.T) {
	t.Parallel()
	w, _ := newChat(t, nil)
	w.connect(w.account.ID, "anthropic")
	for name, c := range map[string]struct{ arguments, want string }{
		"find_records": {`{"kind":"offer"}`, "from is not a date"}, "explain_click": {`{"external_id":"x"}`, "too much to read"},
		"list_changes": {`{"id":"` + slowCampaign + `"}`, "too much to read"}, "list_alerts": {`{}`, "could not be looked up"},
	} {
		w.script(aitest.Turn{Calls: []aitest.Call{call(name, c.arguments)}}, aitest.Turn{Text: "Sorry."})
		got, err := w.question(!readOnly)
		if err != nil || len(got.Lookups) != 1 || !strings.Contains(got.Lookups[0].Error, c.want) || got.Lookups[0].Rows != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		asked := w.Questions()
		if last := asked[len(asked)-1]; !last.Results[0].Failed || strings.Contains(last.Raw, "canary") {
			t.Errorf("%s: %+v", name, last.Results)
		}
	}
}

// TestAnswerEndless checks that a model that always wants more look-ups must answer in the end.
func TestAnswerEndless(t *testing.T) {
	t.Parallel()
	w, api := newChat(t, nil)
	w.connect(w.account.ID, "gemini")
	w.Reply = func(a aitest.Received) aitest.Turn {
		if a.Final {
			return aitest.Turn{Text: "Enough."}
		}
		c := call("list_values", `{"dimension":"os"}`)
		return aitest.Turn{Calls: []aitest.Call{c, c, c}}
	}
	got, err := w.question(readOnly)
	if err != nil || got.Answer != "Enough." || len(got.Lookups) != 8 || len(api.requested) != 8 || len(w.Questions()) > 6 {
		t.Errorf("%d look-ups, %d calls and %d turns (error %v), want 8, 8 and at most 6", len(got.Lookups), len(api.requested), len(w.Questions()), err)
	}
	for _, a := range w.Questions() {
		for _, tool := range a.Tools {
			if tool == "propose" {
				t.Error("the model of a read-only key may propose changes")
			}
		}
	}
	w.script(aitest.Turn{Calls: []aitest.Call{call("propose", `{"reason":"","action":{"op":"pause_campaign"}}`)}}, aitest.Turn{Text: "No."})
	if got, err := w.question(readOnly); err != nil || len(got.Proposals) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAnswerRefused checks that a failure of the provider is an ai_error without the key, and that a refusal of the model is an
// answer.
func TestAnswerRefused(t *testing.T) {
	t.Parallel()
	w, _ := newChat(t, func(o *chat.Options) { o.Install = chat.Install{Provider: "openai", Key: aitest.Key} })
	for _, fault := range []resttest.Fault{resttest.Busy, resttest.Down, resttest.Cut, resttest.Strange, resttest.Echo} {
		w.script(aitest.Turn{Fault: fault})
		_, err := w.question(!readOnly)
		if !errors.Is(err, models.Errorf(models.KindBadGateway, "ai_error", "")) || strings.Contains(err.Error(), aitest.Key) {
			t.Errorf("fault %d: %v", fault, err)
		}
	}
	// Four of the failures may have reached the model. Each of these is charged at least 2,000 tokens.
	var used int
	if err := w.db.GetContext(t.Context(), &used, `SELECT tokens FROM ai_usage`); err != nil || used < 4*2000 || used >= 5*models.AIQuestionTokens {
		t.Errorf("%d tokens of questions that failed, %v", used, err)
	}
	for want, turn := range map[string]aitest.Turn{
		"The model declined to answer. I will not.": {Refused: true, Text: "I will not."}, "It is …": {Cut: true, Text: "It is"},
	} {
		w.script(turn)
		if got, err := w.question(!readOnly); err != nil || got.Answer != want || got.Using != "install" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	long := strings.Repeat("x", 900_000) // from a gateway that ignores the maximum length
	for _, turn := range []aitest.Turn{{Text: long}, {Text: long, Refused: true}, {Text: long, Cut: true}} {
		w.script(turn)
		if got, err := w.question(!readOnly); err != nil || len(got.Answer) > 20_010 || len(got.Answer) < 20_000 {
			t.Errorf("an answer of %d bytes, %v", len(got.Answer), err)
		}
	}
}

// TestAnswerBudget checks that no provider is asked without a key or beyond the day's budget, and that tokens are charged by use.
func TestAnswerBudget(t *testing.T) {
	t.Parallel()
	w, _ := newChat(t, nil)
	if got, err := w.question(!readOnly); err != nil || got.Available || got.Using != "none" || got.Message == "" {
		t.Fatalf("%+v, %v", got, err)
	}
	w.connect(w.account.ID, "openrouter")
	if got, err := w.question(!readOnly); err != nil || !got.Available {
		t.Fatalf("%+v, %v", got, err)
	}
	all, budget := copilot.NewAIConnections(w.store), models.AIBudgetOf(true)
	day := copilot.AIDay{Account: w.account.ID, Day: w.account.DayStart(time.Now()), OwnKey: true}
	var used struct{ Questions, Tokens int } // a question to the fake takes 82 + 17 tokens
	if err := w.db.GetContext(t.Context(), &used, `SELECT questions, tokens FROM ai_usage`); err != nil || used.Questions != 1 || used.Tokens != 99 {
		t.Fatalf("%+v, %v", used, err)
	}
	ok := 0
	var wait sync.WaitGroup
	var mu sync.Mutex
	for range 120 { // concurrently, as from several processes
		wait.Go(func() {
			free, err := all.Reserve(t.Context(), day, models.AIQuestionTokens, budget)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			} else if free {
				ok++
			}
		})
	}
	wait.Wait()
	if want := (budget.Tokens - 99) / models.AIQuestionTokens; ok != want {
		t.Errorf("%d questions were allowed, want %d", ok, want)
	}
	if got, err := w.question(!readOnly); err != nil || got.Available || got.Message != models.AIExhausted {
		t.Errorf("%+v, %v", got, err)
	}
	if n := len(w.Questions()); n != 1 {
		t.Errorf("%d questions reached the provider, want 1", n)
	}
	if err := all.DeleteExpiredUsage(t.Context(), day.Day.AddDate(0, 0, 1), 10); err != nil {
		t.Fatal(err)
	}
	if got, err := w.question(!readOnly); err != nil || !got.Available {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestKeyNowhere checks that the key does not occur in prompts, answers, errors, the log or the database.
func TestKeyNowhere(t *testing.T) { //nolint:paralleltest // it reads the log of the process
	log := logged(t)
	w, _ := newChat(t, nil)
	w.connect(w.account.ID, "gemini")
	var seen []string
	for _, fault := range []resttest.Fault{resttest.None, resttest.Echo, resttest.Down} {
		w.script(aitest.Turn{Text: "Fine.", Fault: fault})
		got, err := w.question(!readOnly)
		raw, _ := json.Marshal(got)
		seen = append(seen, string(raw), fmt.Sprint(err))
	}
	for _, a := range w.Questions() {
		seen = append(seen, a.Raw)
	}
	var stored []string
	if err := w.db.SelectContext(t.Context(), &stored, `SELECT encode(key, 'escape') FROM ai_connections UNION ALL SELECT r::text FROM jobs r`); err != nil {
		t.Fatal(err)
	}
	for _, text := range append(append(seen, stored...), log.String()) {
		if strings.Contains(text, aitest.Key) {
			t.Errorf("the key is in: %s", text)
		}
	}
}
