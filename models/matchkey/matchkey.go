// Package matchkey turns personal data, such as an e-mail address, into the hashes with which ad platforms recognize the person
// who made a conversion. The raw values are stored only in encrypted form. In memory they are a Person, which cannot be printed.
//
// source.md names the document behind each rule.
package matchkey

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Retention is the maximum time for which hashes are kept.
const Retention = 7 * 24 * time.Hour

// Keys are the hashes of a person's data in the forms of one platform: SHA-256 in lower-case hexadecimal digits. An empty text
// means that the value is not known.
type Keys struct {
	Email     string `json:"email,omitempty"`
	Phone     string `json:"phone,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	Street    string `json:"street,omitempty"`
	City      string `json:"city,omitempty"`
	Region    string `json:"region,omitempty"`
	Zip       string `json:"zip,omitempty"`
	Country   string `json:"country,omitempty"`
}

// Hashes are the hashes of a person's data in the forms of all platforms. Email is the hash of the address in lower case. Phone
// is the hash of the number in the form E.164, with the plus.
type Hashes struct {
	Keys
	EmailGoogle    string `json:"email_google,omitempty"`    // for an address at Gmail: without dots and without a tag after a plus
	EmailMicrosoft string `json:"email_microsoft,omitempty"` // at any domain: without dots and without a tag
	EmailReddit    string `json:"email_reddit,omitempty"`    // only letters and digits before the @, and without a tag
	PhoneDigits    string `json:"phone_digits,omitempty"`    // the number without the plus
}

// Forms of keys that only some platforms accept.
const (
	EmailGoogle    = "email_google"
	EmailMicrosoft = "email_microsoft"
	EmailReddit    = "email_reddit"
	PhoneDigits    = "phone_digits"
)

// In returns the keys in the named forms.
func (h Hashes) In(forms []string) Keys {
	var k Hashes
	for _, form := range forms {
		switch form {
		case EmailGoogle:
			k.Email = h.EmailGoogle
		case EmailMicrosoft:
			k.Email = h.EmailMicrosoft
		case EmailReddit:
			k.Email = h.EmailReddit
		case PhoneDigits:
			k.Phone = h.PhoneDigits
		default:
			if i := slices.Index(Names, form); i >= 0 {
				*table[i].places(&k)[0] = *table[i].places(&h)[0]
			}
		}
	}
	return k.Keys
}

// The names of the keys in messages and answers.
const (
	Email     = "email"
	Phone     = "phone"
	FirstName = "first_name"
	LastName  = "last_name"
	Street    = "street"
	City      = "city"
	Region    = "region"
	Zip       = "zip"
	Country   = "country"
)

type key struct {
	name   string
	params []string
	places func(*Hashes) []*string
	// forms returns the texts to hash, one for each place, or the reason why the value cannot be read. country is two letters in
	// upper case, or empty if the country is not known.
	forms func(value, country string) (forms []string, reason string)
}

var table = []key{
	{Email, []string{"em", "email_address", "sha256_email_address"}, (*Hashes).emails, emailForms},
	{Phone, []string{"ph", "phone_number", "sha256_phone_number"}, (*Hashes).phones, phoneForms},
	{FirstName, []string{"fn", "firstname"}, func(h *Hashes) []*string { return []*string{&h.FirstName} }, nameForm},
	{LastName, []string{"ln", "lastname"}, func(h *Hashes) []*string { return []*string{&h.LastName} }, nameForm},
	{Street, []string{"street_address"}, func(h *Hashes) []*string { return []*string{&h.Street} }, streetForm},
	{City, nil, func(h *Hashes) []*string { return []*string{&h.City} }, nameForm},
	{Region, nil, func(h *Hashes) []*string { return []*string{&h.Region} }, regionForm},
	{Zip, []string{"zp", "zip_code", "zipcode", "postal_code"}, func(h *Hashes) []*string { return []*string{&h.Zip} }, zipForm},
	{Country, []string{"country_code"}, func(h *Hashes) []*string { return []*string{&h.Country} }, countryForm},
}

func (h *Hashes) emails() []*string {
	return []*string{&h.Email, &h.EmailGoogle, &h.EmailMicrosoft, &h.EmailReddit}
}

func (h *Hashes) phones() []*string { return []*string{&h.Phone, &h.PhoneDigits} }

// Names lists the names of all keys.
var Names = func() (names []string) {
	for _, k := range table {
		names = append(names, k.name)
	}
	return names
}()

var byParam = func() map[string]*key {
	all := map[string]*key{}
	for i := range table {
		for _, name := range append([]string{table[i].name}, table[i].params...) {
			all[name] = &table[i]
		}
	}
	return all
}()

var hashWord = regexp.MustCompile(`^(?:hashed|hash|md5|sha1|sha256)[_-]?|[_-]?(?:hashed|hash|md5|sha1|sha256)$`)

// NameOf returns the name of the key whose value a parameter contains. It is empty if the parameter contains no personal data. A
// word for a hash may come before or after the name.
func NameOf(param string) string {
	param = strings.ToLower(strings.TrimSpace(param))
	k := byParam[param]
	if k == nil {
		k = byParam[hashWord.ReplaceAllString(param, "")]
	}
	if k == nil {
		return ""
	}
	return k.name
}

// Params returns the names of the parameters in which a key may be sent.
func Params(name string) []string {
	return append([]string{name}, byParam[name].params...)
}

// Names returns the names of the keys that are known.
func (k Keys) Names() []string {
	h, names := Hashes{Keys: k}, []string{}
	for _, t := range table {
		if *t.places(&h)[0] != "" {
			names = append(names, t.name)
		}
	}
	return names
}

// IsEmpty reports whether no key is known.
func (h Hashes) IsEmpty() bool { return h == Hashes{} }

// With returns h with the keys of o that h does not have.
func (h Hashes) With(o Hashes) Hashes {
	for _, t := range table {
		to, from := t.places(&h), t.places(&o)
		if *to[0] != "" {
			continue
		}
		for i := range to {
			*to[i] = *from[i]
		}
	}
	return h
}

// Person is personal data as it was received, by the name of the key. A value that belongs to no key has the name under which it
// was received. When a Person is printed or encoded, the result is a fixed text, so that no log, error or job can contain the data.
type Person map[string]string

// String implements fmt.Stringer.
func (Person) String() string { return Hidden }

// GoString implements fmt.GoStringer.
func (Person) GoString() string { return Hidden }

// MarshalText implements encoding.TextMarshaler.
func (Person) MarshalText() ([]byte, error) { return []byte(Hidden), nil }

// MarshalJSON implements json.Marshaler.
func (Person) MarshalJSON() ([]byte, error) { return []byte(`"` + Hidden + `"`), nil }

// NotText is the reason why a value in a person's record is not kept.
const NotText = "it is neither a text nor a number"

// Members returns the members of a JSON object that are texts, numbers or truth values, as texts by name. It also returns the
// sorted names of members with other values. It ignores members that are null. ok is false if raw is neither an object nor null.
func Members(raw []byte) (texts map[string]string, others []string, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil, nil, false
	}
	texts = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var text string
		value := members[name]
		switch {
		case string(value) == "null":
			continue
		case value[0] == '{', value[0] == '[', value[0] == '"' && json.Unmarshal(value, &text) != nil:
			others = append(others, name)
			continue
		case value[0] != '"':
			text = string(value)
		}
		texts[name] = text
	}
	return texts, others, true
}

// ReadPerson reads personal data from a JSON object of texts and numbers. It leaves out values that cannot be read, and returns
// their keys with the reason. A key that could itself be a value is not returned.
func ReadPerson(raw []byte) (p Person, dropped []Dropped) {
	p = Person{}
	if len(raw) == 0 {
		return p, nil
	}
	texts, others, ok := Members(raw)
	if !ok {
		return p, []Dropped{{"user", "it is no object of texts and numbers"}}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		key := cmp.Or(NameOf(name), name)
		if p[key] == "" {
			p[key] = texts[name]
		}
	}
	for _, name := range others {
		if name = cmp.Or(NameOf(name), name); isName.MatchString(name) {
			dropped = append(dropped, Dropped{name, NotText})
		}
	}
	return p, dropped
}

// Dropped is a key whose value is not kept, and the reason. It does not contain the value.
type Dropped struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

const maxValue = 500 // bytes

// emptyHash is the hash of an empty text. Senders send it if they do not have the value.
var emptyHash = hash("")

var isHash = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Hash returns the hashes of a person's data, and the keys whose values cannot be read. A value with 64 hexadecimal digits is already
// a hash, and is used for all forms of its key. country is the two-letter country of the visitor, for data that names no
// country.
func Hash(p Person, country string) (keys Hashes, dropped []Dropped) {
	country = cmp.Or(countryOf(p[Country]), countryOf(country))
	for _, t := range table {
		value := strings.TrimSpace(p[t.name])
		if value == "" {
			continue
		}
		places := t.places(&keys)
		forms, reason := []string(nil), ""
		switch {
		case len(value) > maxValue:
			reason = "it is too long"
		case isHash.MatchString(value):
			if value = strings.ToLower(value); value == emptyHash {
				reason = "it is the hash of an empty text"
			}
			for _, place := range places {
				*place = value
			}
		default:
			if forms, reason = t.forms(value, country); reason == "" {
				for i, form := range forms {
					*places[i] = hash(form)
				}
			}
		}
		if reason != "" {
			for _, place := range places {
				*place = ""
			}
			dropped = append(dropped, Dropped{t.name, reason})
		}
	}
	return keys, dropped
}

// NeedsCountry reports whether reading the person's data depends on the country of the visitor.
func (p Person) NeedsCountry() bool {
	return countryOf(p[Country]) == "" && (p[Zip] != "" || p[Region] != "" || p[Phone] != "" && !strings.HasPrefix(strings.TrimSpace(p[Phone]), "+"))
}

// Unknown returns the sorted names in p that are not keys. It leaves out a name that could be a value.
func (p Person) Unknown() (names []string) {
	for name := range p {
		if !slices.Contains(Names, name) && isName.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

var isName = regexp.MustCompile(`^[a-z][a-z_]{0,31}$`)
