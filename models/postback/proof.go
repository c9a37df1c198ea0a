package postback

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"switchyard/models"
	"switchyard/models/token"
)

// Proof holds the parts of a message that prove its sender, every parameter that could be such a part, and the personal data. It is
// stored only in sealed form.
type Proof struct {
	Params     map[string]string  `json:"params,omitempty"`
	Signature  string             `json:"signature,omitempty"`
	SignedText string             `json:"signed_text,omitempty"` // the text that the signature covers: raw query or body
	Raw        *models.RawMessage `json:"raw,omitempty"`         // the whole message, for a network with a scheme

	Personal *models.Personal `json:"personal,omitempty"`
}

// Hide removes from a message the personal data and everything that may prove its sender, and returns them as proof. Only
// parameters that n, the network of the message's address, reads as a field stay in the message, because any other parameter may
// carry the secret of the click's network. The function `secret` reports whether one of the receiver's networks may send its secret
// in a parameter with this lower-case name: such a parameter is hidden too. A list or an object is hidden, because a member of it
// may be a secret.
func Hide(p *models.Postback, n Network, secret func(name string) bool) (proof Proof, ok bool) {
	proof = Proof{Signature: p.Signature, SignedText: p.SignedText, Raw: p.Raw, Personal: p.Personal}
	p.Signature, p.SignedText, p.Raw, p.Personal = "", "", nil, nil
	p.HasPersonalData = p.HasPersonalData || proof.Raw != nil || proof.Personal != nil
	open := map[string]string{}
	for name, value := range p.Params {
		if lower := strings.ToLower(name); n.readsParam(lower) && !secret(lower) && !nested(value) {
			open[name] = value
			continue
		}
		if proof.Params == nil {
			proof.Params = map[string]string{}
		}
		proof.Params[name] = value
	}
	p.Params = open
	return proof, proof.Signature != "" || proof.Params != nil || proof.Raw != nil || proof.Personal != nil
}

// Names returns the sorted names of the hidden parameters. It leaves out names that may be secrets themselves: a name without a
// value, or a text that is not a name.
func (p Proof) Names() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		if p.Params[name] != "" && isName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

var isName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,31}$`)

// Reveal returns the parameters of a message together with the hidden parameters.
func (p Proof) Reveal(params map[string]string) map[string]string {
	all := maps.Clone(params)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, p.Params)
	return all
}

// Mask replaces a value that is not shown.
const Mask = "***"

// Masked returns parameters with lists, objects and secrets replaced by Mask. A parameter counts as a secret if it has one of
// the common names of secrets, or a name in the list `names`, whose entries are in lower case.
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

// Query returns the parameters of a message as a query, sorted by name. Hidden parameters have the value Mask.
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

// nested reports whether a value is a list or an object, even if it was cut.
func nested(value string) bool {
	return value != "" && (value[0] == '{' || value[0] == '[') &&
		(json.Valid([]byte(value)) || !token.LooksLikeMacro(value))
}

const secretField = "secret"

// SecretParam returns the name of the network's own parameter for its secret, in lower case.
func (n Network) SecretParam() string { return n.ownParam(secretField) }

func (n Network) ownParam(field string) string {
	return strings.ToLower(strings.TrimSpace(n.Params[field]))
}

// OwnParams returns the network's own parameters, sorted, in lower case and once each.
func (n Network) OwnParams() (names []string) {
	for field := range n.Params {
		if name := n.ownParam(field); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (n Network) readsParam(name string) bool {
	if name == n.ownParam(secretField) {
		return false
	}
	if fieldParams[name] {
		return true
	}
	for field := range n.Params {
		if field != secretField && n.ownParam(field) == name {
			return true
		}
	}
	return false
}
