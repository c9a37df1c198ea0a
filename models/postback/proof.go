package postback

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/token"
)

// Proof is what a message proves its sender by, and every parameter that could: it is stored sealed only.
type Proof struct {
	Params     map[string]string `json:"params,omitempty"`
	Signature  string            `json:"signature,omitempty"`   // X-Signature header
	SignedText string            `json:"signed_text,omitempty"` // what the signature covers: raw query or body
}

// Hide removes from a message everything that may prove its sender, and returns it as proof. It keeps only the parameters that
// network n reads as a field; n is the network that the address names. An unknown parameter is hidden, because it may be the
// secret of the click's network under a name of its own. secret reports whether a network of the receiver may send its secret
// under a name, in lower case. Such parameters are hidden even if they are also names of a field. A list or an object is
// hidden, because a member of it may be a secret. ok is false if there is nothing to hide.
func Hide(p *models.Postback, n Network, secret func(name string) bool) (proof Proof, ok bool) {
	proof = Proof{Signature: p.Signature, SignedText: p.SignedText}
	p.Signature, p.SignedText = "", ""
	open := map[string]string{}
	for name, value := range p.Params {
		if lower := strings.ToLower(name); n.shows(lower) && !secret(lower) && !nested(value) {
			open[name] = value
			continue
		}
		if proof.Params == nil {
			proof.Params = map[string]string{}
		}
		proof.Params[name] = value
	}
	p.Params = open
	return proof, proof.Signature != "" || proof.Params != nil
}

// Names lists the hidden parameters, sorted. It leaves out names that may be secrets themselves: a name without a value, or a
// text that is not a name.
func (p Proof) Names() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		if p.Params[name] != "" && isName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

var isName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,31}$`)

// Reveal gives the parameters of a message with the hidden ones.
func (p Proof) Reveal(params map[string]string) map[string]string {
	all := maps.Clone(params)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, p.Params)
	return all
}

// Mask stands in the place of a value that is not shown.
const Mask = "***"

// Masked gives parameters with a Mask in the place of lists, objects and secrets: what stands under the common names, and
// under names in lower case.
func Masked(params map[string]string, names []string) map[string]string {
	open := maps.Clone(params)
	for name, value := range open {
		lower := strings.ToLower(name)
		if slices.Contains(aliases[secretField], lower) || slices.Contains(names, lower) || nested(value) {
			open[name] = Mask
		}
	}
	return open
}

// Query writes the parameters of a message as a query, in the order of their names. The hidden ones have a Mask.
func Query(params map[string]string, hidden []string) string {
	all := make(url.Values, len(params)+len(hidden))
	for _, name := range hidden {
		all.Set(name, Mask)
	}
	for name, value := range params {
		all.Set(name, value)
	}
	return strings.ReplaceAll(all.Encode(), url.QueryEscape(Mask), Mask)
}

// nested reports whether a value is a list or an object, even if it was cut. A macro is not.
func nested(value string) bool {
	return value != "" && (value[0] == '{' || value[0] == '[') &&
		(json.Valid([]byte(value)) || !token.LooksLikeMacro(value))
}

const secretField = "secret"

// SecretParam returns the network's own parameter of its secret in lower case. It is empty if the network has no such
// parameter.
func (n Network) SecretParam() string { return n.own(secretField) }

// own returns the network's own parameter of a field in lower case. It is empty if the network has no such parameter.
func (n Network) own(field string) string { return strings.ToLower(strings.TrimSpace(n.Params[field])) }

// shows reports whether a parameter, in lower case, is read as a field that is no secret.
func (n Network) shows(name string) bool {
	if name == n.own(secretField) {
		return false
	}
	if shown[name] {
		return true
	}
	for field := range n.Params {
		if field != secretField && n.own(field) == name {
			return true
		}
	}
	return false
}

// shown are the names of all fields but the secret.
var shown = func() map[string]bool {
	names := map[string]bool{}
	for field, list := range aliases {
		for _, name := range list {
			names[name] = names[name] || field != secretField
		}
	}
	for i := range models.Subs {
		for _, prefix := range subPrefixes {
			names[prefix+strconv.Itoa(i+1)] = true
		}
	}
	return names
}()
