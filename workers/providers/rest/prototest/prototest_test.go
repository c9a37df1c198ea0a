package prototest

import (
	"slices"
	"testing"
)

const small = `{"nested":{"a":{"nested":{"v1":{"nested":{
	"Order":{"oneofs":{"who":{"oneof":["e_mail","phone"]}},"fields":{
		"order_id":{"type":"string","options":{"(google.api.field_behavior)":"REQUIRED"}},"e_mail":{"type":"string"},"phone":{"type":"string"},
		"amount":{"type":"double"},"micros":{"type":"int64"},"at":{"type":"google.protobuf.Timestamp"},"kind":{"type":"Kind"},
		"items":{"rule":"repeated","type":"Item"},"notes":{"keyType":"string","type":"string"}},
		"nested":{"Kind":{"values":{"NEW":0,"OLD":1}}}},
	"Item":{"fields":{"count":{"type":"int32"},"detail":{"type":"google.protobuf.Any"}}}
}}}}}}`

// TestCheck: a correct message has all required fields, at most one field of each oneof, and the right names and types.
func TestCheck(t *testing.T) {
	t.Parallel()
	p := Protos{}
	if err := p.add([]byte(small)); err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string][]string{
		`{"orderId":"1","eMail":"a","amount":1.5,"micros":"7","at":"2026-11-01T00:00:00Z","kind":"OLD","items":[{"count":1}],"notes":{"a":"b"}}`: nil,
		`{"order_id":"1"}`:                        {`: a.v1.Order has no field "order_id"`, `: a.v1.Order needs "orderId"`},
		`{"orderId":"1","eMail":"a","phone":"b"}`: {": 2 fields of who"},
		`{"orderId":"1","amount":"1.5","micros":7,"at":"today","kind":"Kind"}`: {
			"amount: 1.5 is no double", "at: today is no google.protobuf.Timestamp", "kind: Kind is no a.v1.Order.Kind", "micros: 7 is no int64",
		},
		`{"orderId":"1","items":{}}`:                                                       {"items: map[] is no list"},
		`{"orderId":"1","items":[{"count":"x"},{"counts":1}]}`:                             {"items[0].count: x is no int32", `items[1]: a.v1.Item has no field "counts"`},
		`{"orderId":"1","items":[{"detail":{}},{"detail":{"@type":"t/a.v1.Item","x":1}}]}`: {"items[0].detail: has no @type"},
		`{`: {"unexpected EOF"},
	} {
		if got := p.Check("a.v1.Order", []byte(body)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	if got := p.Check("a.v1.Order", []byte(`{}`), "orderId"); len(got) > 0 {
		t.Errorf("a field that is in the path is reported as missing: %q", got)
	}
}
