package cli

import (
	"bytes"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// command runs a command line without a terminal and returns the code and both outputs.
func command(t *testing.T, env map[string]string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, func(name string) string { return env[name] }, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

// TestHelp: the help of each command matches the golden file.
func TestHelp(t *testing.T) {
	t.Parallel()
	e := &env{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}
	p, _, err := e.parser(t.Context(), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := command(t, nil, "", "--help")
	parts := []string{first}
	for _, c := range p.Model.Children {
		_, help, _ := command(t, nil, "", c.Name, "--help")
		parts = append(parts, "\n$ sy "+c.Name+" --help\n", help)
	}
	text := strings.Join(parts, "")
	if *update {
		if err := os.WriteFile("testdata/help.txt", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile("testdata/help.txt"); err != nil || string(want) != text {
		t.Errorf("testdata/help.txt is stale: go test ./cmd/sy/cli -run TestHelp -update (%v)", err)
	}
}

// linked lists the packages of this repository that the program may link.
var linked = []string{"cmd/sy", "api/clients/go", "models", "workers/egress", "workers/providers/rest", "workers/providers/trackers"}

// TestLinksNoService: of this repository, the program links only the packages of the list above. It links no library of servers or databases.
func TestLinksNoService(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "switchyard/cmd/sy").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		part, own := strings.CutPrefix(path, "switchyard/")
		if own && !slices.ContainsFunc(linked, func(of string) bool { return part == of || strings.HasPrefix(part, of+"/") }) {
			t.Errorf("sy links the package %s of the service", path)
		}
		if path == "database/sql" {
			t.Error("sy links database/sql")
		}
		for _, library := range []string{"gin-gonic", "lib/pq", "sqlx", "go-redis", "asynq", "clickhouse-go"} {
			if strings.Contains(path, library) {
				t.Errorf("sy links the library %s", path)
			}
		}
	}
}

// recordingServer starts a server that answers every call with the same text and records the calls.
func recordingServer(t *testing.T, status int, body string) (address string, calls *[]string) {
	t.Helper()
	calls = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*calls = append(*calls, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL, calls
}

// TestProfiles: the environment's key comes before the profile's. A profile's key is not sent to another service.
func TestProfiles(t *testing.T) {
	t.Parallel()
	url, calls := recordingServer(t, 200, `{"data":{"organizationName":"Acme","rows":[]},"error":null}`)
	env := map[string]string{"XDG_CONFIG_HOME": t.TempDir()}
	if code, _, text := command(t, env, "", "get", "offers"); code != 1 || !strings.Contains(text, "sy login --url") {
		t.Errorf("without a profile, get ended with code %d, want 1 and the command to run: %s", code, text)
	}
	if code, _, text := command(t, env, "sy_f_one\n", "login", "--url", url+"/"); code != 0 || !strings.Contains(text, "Acme") {
		t.Fatalf("login ended with code %d, want 0 and the account's name: %s", code, text)
	}
	if code, _, text := command(t, env, "sy_f_two\n", "login", "--url", url, "--profile", "two"); code != 0 {
		t.Fatalf("login with --profile ended with code %d, want 0: %s", code, text)
	}
	for _, tt := range []struct {
		key, profile, want string
	}{{"", "", "sy_f_two"}, {"", "default", "sy_f_one"}, {"sy_f_env", "default", "sy_f_env"}} {
		env["SWITCHYARD_KEY"], env["SWITCHYARD_PROFILE"] = tt.key, tt.profile
		if code, _, text := command(t, env, "", "get", "offers"); code != 0 {
			t.Errorf("get with the profile %q and the key %q ended with code %d, want 0: %s", tt.profile, tt.key, code, text)
		}
		if last := (*calls)[len(*calls)-1]; !strings.HasSuffix(last, " Bearer "+tt.want) {
			t.Errorf("call %q, want the key %s", last, tt.want)
		}
	}
	env["SWITCHYARD_KEY"], env["SWITCHYARD_URL"] = "", "https://other.example"
	if code, _, text := command(t, env, "", "get", "offers"); code != 1 || !strings.Contains(text, "must not be sent to another service") {
		t.Errorf("get with another SWITCHYARD_URL ended with code %d, want 1 and the reason: %s", code, text)
	}
	delete(env, "SWITCHYARD_URL")
	_, out, _ := command(t, env, "", "profiles", "-o", "json")
	if strings.Contains(out, "sy_f_") || !strings.Contains(out, `"name": "two"`) {
		t.Errorf("profiles prints %s, want the profile two and no keys", out)
	}
	command(t, env, "", "logout", "--profile", "two")
	if text, err := os.ReadFile(filepath.Join(env["XDG_CONFIG_HOME"], "switchyard", "sy.json")); err != nil || strings.Contains(string(text), "sy_f_two") {
		t.Errorf("after logout the file of profiles still has the key, or cannot be read: %s, %v", text, err)
	}
}

// TestRefusedLoginKeepsNothing: a key that the service refuses is not saved, and the error says what to do.
func TestRefusedLoginKeepsNothing(t *testing.T) {
	t.Parallel()
	url, _ := recordingServer(t, 401, `{"data":null,"error":{"code":"unauthenticated","message":"the key is wrong"}}`)
	env := map[string]string{"XDG_CONFIG_HOME": t.TempDir()}
	code, out, text := command(t, env, "sy_f_bad", "login", "--url", url, "--debug")
	if code != 3 || !strings.Contains(text, "unauthenticated") || !strings.Contains(text, "Make one in the dashboard") {
		t.Errorf("login with a wrong key ended with code %d, want 3 and what to do: %s", code, text)
	}
	if strings.Contains(out+text, "sy_f_bad") || !strings.Contains(text, "> GET ") {
		t.Errorf("login --debug prints the key, or no request: %s%s", out, text)
	}
	if list, err := os.ReadDir(env["XDG_CONFIG_HOME"]); err != nil || len(list) > 0 {
		t.Errorf("after a refused login the files are %v, want none: %v", list, err)
	}
}

// TestForms: each form of output has the same values, with numbers as they were received. No form has the escape character of the
// name.
func TestForms(t *testing.T) {
	t.Parallel()
	url, _ := recordingServer(t, 200, `{"data":{"rows":[{"id":"7","name":"a\u001b[31m\nb","status":"active","clicks":12345678901234567,"cost":0.10,"tags":["x"],"note":"true"}]}}`)
	env := map[string]string{"SWITCHYARD_URL": url, "SWITCHYARD_KEY": "sy_f_key", "HOME": t.TempDir()}
	for form, parts := range map[string][]string{
		"table": {"NAME ", "a [31m b ", "12345678901234567"},
		"csv":   {"name,id,status,clicks,cost,note,tags\n", `,12345678901234567,0.10,true,"[""x""]"`},
		"json":  {`"clicks": 12345678901234567`, `"cost": 0.10`},
		"yaml":  {"clicks: 12345678901234567\n", `note: "true"`, "- x\n"},
	} {
		code, out, text := command(t, env, "", "get", "offers", "-o", form)
		for _, part := range parts {
			if code != 0 || !strings.Contains(out, part) {
				t.Errorf("get -o %s ended with code %d and prints %s%s, want 0 and the text %q", form, code, out, text, part)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("the output in the form %s has a control character", form)
		}
	}
}

// TestExitCodes: the exit code is 1 for a mistake on the command line and for a service that cannot be reached, and 3 for a refusal.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	url, _ := recordingServer(t, 409, `{"data":null,"error":{"code":"stale","message":"changed"}}`)
	env := map[string]string{"SWITCHYARD_URL": url, "SWITCHYARD_KEY": "sy_f_key", "HOME": t.TempDir()}
	if code, _, text := command(t, env, "", "api", "PUT", "/offers"); code != 3 || !strings.Contains(text, "sy diff") {
		t.Errorf("a refused call ended with code %d, want 3 and the next step: %s", code, text)
	}
	if code, _, text := command(t, env, "", "api", "POST", "/offers", "--body", "{name: x}"); code != 1 || !strings.Contains(text, "single quotes") {
		t.Errorf("a body that is not JSON ended with code %d, want 1 and a hint to the quotes: %s", code, text)
	}
	if code, _, text := command(t, env, "", "gett"); code != 1 || !strings.Contains(text, "sy --help") {
		t.Errorf("a mistyped command ended with code %d, want 1 and a hint to the help: %s", code, text)
	}
	env["SWITCHYARD_URL"] = "http://127.0.0.1:1"
	if code, _, text := command(t, env, "", "api", "PATCH", "/offers"); code != 1 || !strings.Contains(text, "SWITCHYARD_URL") {
		t.Errorf("a call to a service that is away ended with code %d, want 1 and a hint to SWITCHYARD_URL: %s", code, text)
	}
	if code, _, text := command(t, env, "", "diff", "connect.yaml"); code != 1 || strings.Contains(text, "SWITCHYARD_URL") {
		t.Errorf("a file that does not exist ended with code %d, want 1 and no hint to SWITCHYARD_URL: %s", code, text)
	}
}

// TestDays: words such as today stand for dates in UTC.
func TestDays(t *testing.T) {
	t.Parallel()
	e := &env{now: func() time.Time { return time.Date(2026, 3, 1, 1, 0, 0, 0, time.FixedZone("", 2*3600)) }}
	for word, want := range map[string]string{
		"today": "2026-02-28", "yesterday": "2026-02-27", "-7d": "2026-02-21", "2026-01-02": "2026-01-02", "": "", "later": "later",
	} {
		if got := e.day(word); got != want {
			t.Errorf("the word %q stands for %q, want %q", word, got, want)
		}
	}
}

// TestCompletion: there is a completion script for each shell, and commands, flags and kinds are completed.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if code, out, text := command(t, nil, "", "completion", shell); code != 0 || !strings.Contains(out, "sy") {
			t.Errorf("completion %s ended with code %d, want 0 and a script: %s%s", shell, code, out, text)
		}
	}
	for line, want := range map[string]string{
		"sy pa": "pause\n", "sy get la": "landers\n", "sy pause so": "sources\n", "sy tail u": "unmatched\n", "sy report --hav": "--having\n",
	} {
		t.Setenv("COMP_LINE", line)
		t.Setenv("COMP_POINT", strconv.Itoa(len(line)))
		if _, out, _ := command(t, map[string]string{"COMP_LINE": line}, ""); out != want {
			t.Errorf("%q is completed to %q, want %q", line, out, want)
		}
	}
}
