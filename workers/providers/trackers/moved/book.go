package moved

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/clickattr"
	"switchyard/models/foreign"
	"switchyard/models/token"
	"switchyard/models/trackerimport"
)

// Members are the members of a record.
type Members = accountconfig.Members

// The maximum length of the text in the member "notes", in characters.
const (
	MaxNotes         = 2000
	MaxCampaignNotes = 10_000
)

// Book is a document that is being written.
type Book struct {
	Out trackerimport.Result
	// Tokens maps the tracker's macros, in lower case, to our tokens. Macros with our names may be left out.
	Tokens map[string]string
	// Macro translates a macro that Tokens does not have, or returns an empty text. It may be nil.
	Macro func(name string) string
	// Foreign returns a macro of an address that would mean something else here, or an empty text. It may be nil.
	Foreign func(address string) string

	tracker, host string
	names         map[accountconfig.Kind]trackerimport.Names
	refs          map[accountconfig.Kind]map[string]*Ref
	hosts         map[string]string
	firstHost     string
}

// Ref is a record to which others refer.
type Ref struct {
	Key, Name string
	Refused   bool
}

// Item is a record on its way into the document.
type Item struct {
	Kind accountconfig.Kind
	ID   string // at the tracker
	Key  string
	Name string // at the tracker
	M    Members
}

// New returns an empty document for a tracker.
func New(tracker, host string) *Book {
	b := &Book{
		tracker: tracker, host: host, names: map[accountconfig.Kind]trackerimport.Names{},
		refs: map[accountconfig.Kind]map[string]*Ref{}, hosts: map[string]string{},
	}
	b.Out.Document = accountconfig.Document{}
	for _, kind := range accountconfig.Kinds {
		b.names[kind], b.refs[kind] = trackerimport.Names{}, map[string]*Ref{}
	}
	history := trackerimport.HistoryStays
	if tracker == foreign.RedTrack {
		history = trackerimport.HistoryByLog
	}
	b.Out.Note(trackerimport.Changed, "", "", "", history)
	return b
}

// Result returns the document. It drops the notes on refused records, but keeps the reasons for the refusals.
func (b *Book) Result() trackerimport.Result {
	b.Out.Notes = slices.DeleteFunc(b.Out.Notes, func(n trackerimport.Note) bool {
		return n.Severity != trackerimport.Refused && n.Kind != "" && !b.Out.Has(n.Kind, n.Key)
	})
	return b.Out
}

// Item begins a record. Other records can refer to its id, unless it is refused.
func (b *Book) Item(kind accountconfig.Kind, id, name string) *Item {
	key := trackerimport.Key(b.tracker, b.host, id)
	unique, changed := b.names[kind].Unique(name, kind.Noun()+" "+id)
	it := &Item{kind, id, key, name, Members{"name": unique}}
	if changed {
		b.Note(trackerimport.Changed, it, trackerimport.NewName(name, unique))
	}
	b.refs[kind][id] = &Ref{Key: key, Name: unique}
	return it
}

// Ref returns the record with the tracker's id, or nil.
func (b *Book) Ref(kind accountconfig.Kind, id string) *Ref { return b.refs[kind][id] }

// Note adds a note about a record.
func (b *Book) Note(severity string, it *Item, text string) {
	b.Out.Note(severity, it.Kind, it.Key, it.Name, text)
}

// Change adds a note that something is different.
func (b *Book) Change(it *Item, text string) { b.Note(trackerimport.Changed, it, text) }

// Refuse leaves a record out.
func (b *Book) Refuse(it *Item, text string) {
	b.Note(trackerimport.Refused, it, text)
	if ref := b.refs[it.Kind][it.ID]; ref != nil {
		ref.Refused = true
	}
}

// Put adds a record to the document, or refuses it if it is not valid.
func (b *Book) Put(it *Item) bool {
	if ref := b.refs[it.Kind][it.ID]; ref != nil && ref.Refused {
		return false
	}
	if err := Check(it.Kind, it.Key, it.M); err != nil {
		b.Refuse(it, Sentence(err))
		return false
	}
	b.Out.Put(it.Kind, it.Key, it.M)
	return true
}

// Sentence returns the error of Check as a sentence.
func Sentence(err error) string {
	text := err.Error()
	if p, ok := err.(accountconfig.Problem); ok { //nolint:errorlint // Check does not wrap it
		text = strings.TrimPrefix(p.Path+": "+p.Text, ": ")
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// Text sets a member. A text with more characters than limit is cut.
func (b *Book) Text(it *Item, member, what, value string, limit int) {
	if value == "" {
		return
	}
	if cut := models.Cut(value, limit); cut != value {
		b.Change(it, trackerimport.CutText(what, limit))
		value = cut
	}
	it.M[member] = value
}

// Group sets the group of a record.
func (b *Book) Group(it *Item, name string) { b.Text(it, "group_name", "name of the group", name, 255) }

// Amount sets an amount and its currency. It refuses the record if one of them is not usable. A zero amount needs no currency.
func (b *Book) Amount(it *Item, member, value, code string) bool {
	amount, iso, refusal := ReadAmount(value, code, false)
	if refusal != "" {
		b.Refuse(it, refusal)
		return false
	}
	SetAmount(it.M, member, amount, iso)
	return true
}

// ReadAmount reads an amount and its currency. An empty value is 0. A zero amount needs a currency only if `always` is true.
// If refusal is not empty, the amount cannot be used.
func ReadAmount(value, code string, always bool) (amount decimal.Decimal, iso, refusal string) {
	value = cmp.Or(value, "0")
	amount, err := decimalOf(strings.TrimSpace(value))
	switch {
	case err != nil || amount.IsNegative():
		return amount, "", fmt.Sprintf("The amount %q cannot be read.", models.Shortened(value, 30))
	case code == "" && amount.IsZero() && !always:
		return amount, "", ""
	}
	iso, ok := trackerimport.Currency(code)
	if !ok {
		return amount, "", trackerimport.UnknownCurrency(code)
	}
	return amount, iso, ""
}

// SetAmount sets what ReadAmount has read.
func SetAmount(m Members, member string, amount decimal.Decimal, iso string) {
	if iso != "" {
		m["currency"] = iso
	}
	if !amount.IsZero() {
		m[member] = json.Number(amount.String())
	}
}

// decimalOf reads an amount exactly, also with an exponent, as PHP writes small amounts.
func decimalOf(text string) (decimal.Decimal, error) {
	const longest, farthest = 40, 20
	if len(text) > longest {
		return decimal.Decimal{}, fmt.Errorf("%q is too long", text)
	}
	d, err := decimal.NewFromString(text)
	if err == nil && (d.Exponent() < -farthest || d.Exponent() > farthest || !d.Equal(d.Round(models.MoneyScale))) {
		err = fmt.Errorf("%q has too many digits", text)
	}
	return d, err
}

var macro = regexp.MustCompile(`\{(_?)([A-Za-z][A-Za-z0-9_.:\- ]*)\}`)

// Rewritten returns an address with our tokens in place of the tracker's macros. Other macros stay.
func (b *Book) Rewritten(address string) string {
	return macro.ReplaceAllStringFunc(strings.TrimSpace(address), func(m string) string {
		parts := macro.FindStringSubmatch(m)
		to := b.Tokens[strings.ToLower(parts[2])]
		if to == "" && b.Macro != nil {
			to = b.Macro(parts[2])
		}
		if to == "" {
			return m
		}
		return "{" + parts[1] + to + "}"
	})
}

// Address sets a member to an address. It refuses the record if the address cannot be used or has a macro without a token.
func (b *Book) Address(it *Item, member, address string, postback bool) bool {
	to := b.Rewritten(address)
	if text := b.badAddress(to, postback); text != "" {
		b.Refuse(it, text)
		return false
	}
	it.M[member] = to
	return true
}

// badAddress returns an empty text if the address can be used.
func (b *Book) badAddress(address string, postback bool) string {
	if b.Foreign != nil {
		if left := b.Foreign(address); left != "" {
			return trackerimport.ForeignMacroLeft(left, address)
		}
	}
	if left := trackerimport.ForeignMacro(address, postback); left != "" {
		return trackerimport.ForeignMacroLeft(left, address)
	}
	if u, err := url.Parse(address); err == nil && u.Scheme == "" && u.Host == "" {
		return trackerimport.BadAddress(address, errRelative)
	}
	if err := token.ValidURL(address); err != nil {
		return trackerimport.BadAddress(address, err)
	}
	return ""
}

var errRelative = fmt.Errorf("it has no host")

// Country sets the country of a record. Several countries become tags.
func (b *Book) Country(it *Item, list []string) {
	codes := []any{}
	for _, c := range list {
		if code, ok := clickattr.Countries.Find(c); ok {
			codes = append(codes, code)
		}
	}
	switch len(codes) {
	case 0:
	case 1:
		it.M["country"] = codes[0]
	default:
		for _, code := range codes {
			it.M["tags"] = append(tags(it), "geo:"+fmt.Sprint(code))
		}
		b.Change(it, "It has one country here. Its countries became tags.")
	}
}

func tags(it *Item) []any {
	list, _ := it.M["tags"].([]any)
	return list
}

// Tags adds tags to a record.
func (b *Book) Tags(it *Item, list []string) {
	for _, t := range list {
		it.M["tags"] = append(tags(it), t)
	}
}

// Domain returns the item of a domain, for Put, and its host. From then on, Link accepts its id. If name is not a host, Domain
// refuses the domain and host is empty.
func (b *Book) Domain(id, name string) (it *Item, host string) {
	host, ok := models.HostOf(name)
	it = &Item{accountconfig.Domains, id, host, name, Members{}}
	if !ok {
		it.Key = trackerimport.Key(b.tracker, b.host, id)
		b.Refuse(it, "It is not the name of a host, so it cannot be a domain here.")
		return it, ""
	}
	b.hosts[id] = host
	if b.firstHost == "" {
		b.firstHost = host
	}
	return it, host
}

// Link sets the domain and the alias of a campaign. word is the alias in the old links. The campaign gets another one if word is
// not valid here. For each form, Link adds the old link, so that it keeps leading to the campaign.
func (b *Book) Link(it *Item, domainID, word string, forms ...string) {
	host := b.hosts[domainID]
	if host == "" {
		host, _ = models.HostOf(domainID)
		if !b.Out.Has(accountconfig.Domains, host) {
			host = b.firstHost
		}
	}
	if host != "" {
		it.M["domain"] = host
	}
	alias := word
	if models.CheckAlias(alias) != nil {
		clean := strings.Map(func(c rune) rune {
			if c < 128 && (c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
				return c
			}
			return -1
		}, models.Cut(alias+"-"+it.ID, 50))
		if alias = strings.Trim(clean, "-"); len(alias) < 6 {
			alias += "-moved"
		}
		if slices.Contains(forms, trackerimport.FormPath) {
			b.Change(it, trackerimport.NewLink(word, alias))
		}
	}
	it.M["alias"] = alias
	for _, form := range forms {
		if word != "" {
			b.Out.Links = append(b.Out.Links, trackerimport.Link{Form: form, ID: word, Campaign: it.Key})
		}
	}
}

// RemoveLinks removes the links of refused campaigns.
func (b *Book) RemoveLinks() {
	b.Out.Links = slices.DeleteFunc(b.Out.Links, func(l trackerimport.Link) bool { return !b.Out.Has(accountconfig.Campaigns, l.Campaign) })
}

// everybody finds an id for every record, a hash of its key.
type everybody struct{}

func (everybody) ID(kind accountconfig.Kind, key string) (uuid.UUID, bool) {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(string(kind)+"/"+key)), true
}

func (everybody) Key(accountconfig.Kind, uuid.UUID) (string, bool) { return "", false }

// Upsell says how a click that converts again counts.
const Upsell = "Repeated conversions of a click count if each has an id of its own; without one a click converts once for each goal."

// OtherCaps notes the caps of an offer that were left out.
func (b *Book) OtherCaps(it *Item, others []string) {
	switch list := strings.Join(others, ", "); {
	case len(others) == 0:
	case it.M["daily_cap"] != nil:
		b.Change(it, trackerimport.CapOnly(list))
	default:
		b.Change(it, fmt.Sprintf("The cap %s was left out. Here a cap is for a day.", list))
	}
}
