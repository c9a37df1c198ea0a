package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// profile has the address of a service and a key for it.
type profile struct {
	URL string `json:"url"`
	Key string `json:"key"`
}

// profiles is the file of profiles, which only its owner may read.
type profiles struct {
	Current  string             `json:"current"`
	Profiles map[string]profile `json:"profiles"`
}

func (e *env) file() (string, error) {
	dir := e.getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home := e.getenv("HOME")
		if home == "" {
			return "", errors.New("neither XDG_CONFIG_HOME nor HOME is set, so there is no place for profiles")
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "switchyard", "sy.json"), nil
}

func (e *env) readProfiles() (profiles, error) {
	p := profiles{Profiles: map[string]profile{}}
	name, err := e.file()
	if err != nil {
		return p, err
	}
	raw, err := os.ReadFile(filepath.Clean(name))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, fmt.Errorf("%s cannot be read: %w; delete it and run `sy login`", name, err)
	}
	if p.Profiles == nil {
		p.Profiles = map[string]profile{}
	}
	return p, nil
}

// save replaces the file of profiles by a rename, so that the file is never incomplete.
func (e *env) save(p profiles) error {
	name, err := e.file()
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(name), "sy-*") // has mode 0600
	if err != nil {
		return err
	}
	_, err = next.Write(append(raw, '\n'))
	if err = errors.Join(err, next.Close()); err == nil {
		err = os.Rename(next.Name(), name)
	}
	return err
}

// named returns the name of the profile that is used.
func (e *env) named(p profiles) string {
	for _, name := range []string{e.Profile, e.getenv("SWITCHYARD_PROFILE"), p.Current} {
		if name != "" {
			return name
		}
	}
	return "default"
}

// profile returns the profile that is used. SWITCHYARD_URL and SWITCHYARD_KEY take precedence over its address and key.
func (e *env) profile() (profile, error) {
	all, err := e.readProfiles()
	if err != nil {
		return profile{}, err
	}
	name := e.named(all)
	p, known := all.Profiles[name]
	if !known && e.Profile != "" {
		return p, fmt.Errorf("there is no profile %s: run `sy login --profile %s` to create it, or `sy profiles` to list the others", name, name)
	}
	if u := e.getenv("SWITCHYARD_URL"); u != "" {
		if p.Key != "" && p.URL != u && e.getenv("SWITCHYARD_KEY") == "" {
			return p, errors.New("SWITCHYARD_URL is another service than the profile's: set SWITCHYARD_KEY too, because the profile's key must not be sent to another service")
		}
		p.URL = u
	}
	if k := e.getenv("SWITCHYARD_KEY"); k != "" {
		p.Key = k
	}
	if p.URL == "" || p.Key == "" {
		return p, errors.New("sy does not know the service and the key: run `sy login --url https://...`, or set SWITCHYARD_URL and SWITCHYARD_KEY")
	}
	return p, nil
}

// loginCmd saves a key. It reads the key from standard input, because other users can see command lines.
type loginCmd struct {
	URL string `help:"Address of the service, such as https://track.example.com." placeholder:"URL"`
}

// Run implements the command.
func (c *loginCmd) Run(ctx context.Context, e *env) error {
	all, err := e.readProfiles()
	if err != nil {
		return err
	}
	name := e.named(all)
	p := all.Profiles[name]
	for _, u := range []string{c.URL, e.getenv("SWITCHYARD_URL"), p.URL} {
		if u != "" {
			p.URL = strings.TrimSuffix(u, "/")
			break
		}
	}
	if u, err := url.Parse(p.URL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("the address of the service is missing or is not a URL: `sy login --url https://track.example.com`")
	}
	if p.Key, err = e.readKey(); err != nil {
		return err
	}
	settings, err := e.clientOf(p).ListSettings(ctx)
	if err != nil {
		return err
	}
	all.Current, all.Profiles[name] = name, p
	if err := e.save(all); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(e.stderr, "Profile %s is %s at %s. It is used from now on.\n", name, settings.OrganizationName, p.URL)
	return nil
}

func (e *env) readKey() (string, error) {
	return e.readSecret("Key (dashboard > API keys): ", "there is no key: make one in the dashboard under API keys, and run `sy login < file`")
}

// readSecret reads a text without showing it, or the first line of a pipe. missing is the error for an empty text.
func (e *env) readSecret(question, missing string) (string, error) {
	var key string
	if e.ask {
		_, _ = fmt.Fprint(e.stderr, question)
		raw, err := e.secret()
		_, _ = fmt.Fprintln(e.stderr)
		if err != nil {
			return "", err
		}
		key = string(raw)
	} else {
		lines := bufio.NewScanner(e.stdin)
		lines.Scan()
		key = lines.Text()
	}
	if key = strings.TrimSpace(key); key == "" {
		return "", errors.New(missing)
	}
	return key, nil
}

// logoutCmd deletes a profile.
type logoutCmd struct{}

// Run implements the command.
func (c *logoutCmd) Run(e *env) error {
	all, err := e.readProfiles()
	if err != nil {
		return err
	}
	name := e.named(all)
	if _, ok := all.Profiles[name]; !ok {
		return fmt.Errorf("there is no profile %s; `sy profiles` lists all profiles", name)
	}
	delete(all.Profiles, name)
	if all.Current == name {
		all.Current = ""
	}
	return e.save(all)
}

// profilesCmd lists profiles, without their keys.
type profilesCmd struct{}

// Run implements the command.
func (c *profilesCmd) Run(e *env) error {
	all, err := e.readProfiles()
	if err != nil {
		return err
	}
	rows := []record{}
	for _, name := range sortedKeys(all.Profiles) {
		rows = append(rows, record{"name": name, "url": all.Profiles[name].URL, "current": name == e.named(all)})
	}
	return e.print(rows, []string{"name", "url", "current"})
}

// completionCmd prints the script that a shell runs to complete commands.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run implements the command.
func (c *completionCmd) Run(e *env) error {
	text := map[string]string{
		"bash": "# Add to ~/.bashrc: source <(sy completion bash)\ncomplete -C sy sy\n",
		"zsh":  "# Add to ~/.zshrc: source <(sy completion zsh)\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\ncomplete -C sy sy\n",
		"fish": "# Save as ~/.config/fish/completions/sy.fish\nfunction __complete_sy\n    set -lx COMP_LINE (commandline -cp)\n" +
			"    test -z (commandline -ct)\n    and set COMP_LINE \"$COMP_LINE \"\n    sy\nend\ncomplete -f -c sy -a \"(__complete_sy)\"\n",
	}[c.Shell]
	_, err := fmt.Fprint(e.stdout, text)
	return err
}

// versionCmd prints the version.
type versionCmd struct{}

// Run implements the command.
func (c *versionCmd) Run(e *env) error {
	_, err := fmt.Fprintln(e.stdout, "sy", version())
	return err
}

// version returns the revision that the program was built from, else the version of its module.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" }); i >= 0 {
		return info.Settings[i].Value[:min(12, len(info.Settings[i].Value))]
	}
	return info.Main.Version
}
