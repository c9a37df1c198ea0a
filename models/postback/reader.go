package postback

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/money"
	"switchyard/models/timetext"
	"switchyard/models/token"
)

const clickField = "click_id"

// A parameter that the network's own settings assign to fields is not read as any other field.
type reader struct {
	params    map[string]string   // names in lower case
	ownParams map[string]string   // the network's own parameter of each field, in lower case
	given     map[string][]string // for each of the network's own parameters, the fields that the network sends in it
}

func newReader(params map[string]string, n Network) reader {
	r := reader{make(map[string]string, len(params)), map[string]string{}, map[string][]string{}}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		lower := strings.ToLower(name)
		if old, twice := r.params[lower]; !twice || !isFilled(old) { // only messages stored before Collect existed have both a=1 and A=1
			r.params[lower] = params[name]
		}
	}
	for field := range n.Params {
		if name := n.ownParam(field); name != "" {
			r.ownParams[field], r.given[name] = name, append(r.given[name], field)
		}
	}
	return r
}

func (r reader) names(field string, common []string) (list []string) {
	if own := r.ownParams[field]; own != "" {
		list = append(list, own)
	}
	list = append(list, common...)
	return slices.DeleteFunc(list, func(name string) bool {
		fields := r.given[name]
		return len(fields) > 0 && !slices.Contains(fields, field) || field != secretField && slices.Contains(fields, secretField)
	})
}

// get returns the value of a field: the first valid value of its parameters or, if none is valid, the first value.
// Empty values, unfilled macros and click ids longer than the limit do not count. A value in the network's own parameter
// counts even if it is not valid, because the network's settings name the parameter. The click id is the exception, because
// its form shows with certainty when it is wrong.
func (r reader) get(field string, limit int) (first string) {
	for _, name := range r.names(field, aliases[field]) {
		v := cleanValue(r.params[name], limit)
		if asReceived[field] {
			v = receivedValue(r.params[name], limit)
		}
		if field == clickField && len(Clean(r.params[name], MaxValue)) > limit {
			v = ""
		}
		if v == "" {
			continue
		}
		if isValid := validators[field]; isValid == nil || isValid(v) || name == r.ownParams[field] && field != clickField {
			return v
		}
		if first == "" {
			first = v
		}
	}
	return first
}

// validators check the values of fields. Every value is valid for a field without a validator.
var validators = map[string]func(text string) bool{
	clickField: looksLikeClickID,
	"payout":   isAmount,
	"cost":     isAmount,
	"currency": isCurrency,
	"time": func(text string) bool {
		_, err := timetext.ReadUTC(text)
		return err == nil
	},
}

// asReceived holds the fields that are read from the text as it was received, because Clean may turn a text into another amount or
// time.
var asReceived = map[string]bool{"payout": true, "cost": true, "currency": true, "time": true}

// The value is empty for an unfilled macro and for a masked value.
func receivedValue(v string, limit int) string {
	if token.LooksLikeMacro(v) || v == Mask {
		return ""
	}
	return cut(v, limit)
}

func isAmount(text string) bool {
	_, err := money.Read(text, "")
	return err == nil || errors.Is(err, money.ErrAmbiguous)
}

// A sign or word that several currencies share, such as $, also counts.
func isCurrency(text string) bool {
	_, err := money.Currency(text, "")
	return err == nil || errors.Is(err, money.ErrSeveral)
}

func looksLikeClickID(text string) bool {
	id, err := models.ParseClickID(text)
	return err == nil && id.Version() == 7 && id.Variant() == uuid.RFC4122
}

// received returns the first received value of a field's parameters, including unfilled macros.
func (r reader) received(field string, limit int) string {
	for _, name := range r.names(field, aliases[field]) {
		if v := cut(r.params[name], limit); v != "" && v != Mask {
			return v
		}
	}
	return ""
}

var subPrefixes = [...]string{"sub", "sub_id_"}

func (r reader) sub(n string) string {
	for _, name := range r.names("sub"+n, []string{subPrefixes[0] + n, subPrefixes[1] + n}) {
		if v := cleanValue(r.params[name], maxWord); v != "" {
			return v
		}
	}
	return ""
}

// fieldParams has the names of the parameters that are read for every network. A name that is only used for the secret has the
// value false.
var fieldParams = func() map[string]bool {
	names := map[string]bool{answerParam: true}
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
