package spool

import (
	"net/netip"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// fill sets every field of a struct, except pointers, to a value other than zero, so that a field missing in the encoding is noticed.
func fill(v reflect.Value, seed *int) {
	*seed++
	switch x := v.Addr().Interface().(type) {
	case *uuid.UUID:
		*x = uuid.Must(uuid.NewV7())
		return
	case *netip.Addr:
		*x = netip.MustParseAddr("2001:db8::" + strconv.Itoa(*seed))
		return
	case *decimal.Decimal:
		*x = decimal.New(int64(*seed), -3)
		return
	case *[]byte:
		*x = []byte{0xff, 0, byte(*seed)}
		return
	case *time.Time:
		*x = time.UnixMilli(int64(1_700_000_000_000 + *seed)).UTC()
		return
	case *map[string]string:
		*x = map[string]string{"payout": strconv.Itoa(*seed), "": "empty name", "x": ""}
		return
	}
	switch v.Kind() { //nolint:exhaustive // records have no other kinds; fill panics for another kind
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), seed)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), seed)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), seed)
		}
	case reflect.String:
		v.SetString("text " + strconv.Itoa(*seed))
	case reflect.Int:
		v.SetInt(int64(*seed))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*seed))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer: // Postback.Raw stays nil: before a postback is written, its Raw becomes a part of Proof
	default:
		panic("spool test: cannot fill " + v.Kind().String())
	}
}

func filled[T any]() *T {
	v, seed := new(T), 0
	fill(reflect.ValueOf(v).Elem(), &seed)
	return v
}

var byValue = cmp.Options{
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
	cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Equal(b) }),
}

func TestRecordsKeepEveryField(t *testing.T) {
	t.Parallel()
	postback := filled[models.Postback]()
	postback.Received = "" // it is not written: Postback.Forward is the same text in sealed form
	for name, r := range map[string]Record{
		"click":          {Click: filled[models.Click]()},
		"click-out":      {Out: filled[models.ClickOut]()},
		"postback":       {Postback: postback},
		"event":          {Event: filled[models.SiteEvent]()},
		"trap":           {Trap: filled[models.ClickTrap]()},
		"smartlink":      {Smart: filled[models.SmartlinkClick]()},
		"click, id only": {Click: &models.Click{ID: models.NewClickID()}},
		"IPv4":           {Click: &models.Click{ID: models.NewClickID(), Visitor: models.Visitor{IP: netip.MustParseAddr("8.8.8.8")}}},
	} {
		p, err := appendRecord(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeRecord(p)
		if err != nil {
			t.Fatalf("%s cannot be decoded: %v", name, err)
		}
		if diff := cmp.Diff(r, got, byValue); diff != "" {
			t.Errorf("%s before encoding (-) and after decoding (+): %s", name, diff)
		}
	}
}

func TestUnknownFieldsAreSkipped(t *testing.T) {
	t.Parallel()
	c := filled[models.Click]()
	p, _ := appendRecord(nil, Record{Click: c})
	// The added fields have unknown tags.
	p = append(appendBytes(p[:1:1], 250, "of a later version"), p[1:]...)
	p = appendBytes(p, 251, "another")
	got, err := decodeRecord(p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got.Click, byValue); diff != "" {
		t.Errorf("the click without (-) and with unknown fields (+): %s", diff)
	}
}

func TestTextsAreCleaned(t *testing.T) {
	t.Parallel()
	c := &models.Click{ID: models.NewClickID(), Visitor: models.Visitor{UserAgent: "a\x00b\xffc"}}
	p, _ := appendRecord(nil, Record{Click: c})
	got, err := decodeRecord(p)
	if err != nil || got.Click.UserAgent != "ab\uFFFDc" {
		t.Errorf("the user agent is %q, %v, want the zero character removed and U+FFFD for the invalid byte", got.Click.UserAgent, err)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	for _, r := range []Record{
		{Click: filled[models.Click]()}, {Postback: filled[models.Postback]()}, {Event: filled[models.SiteEvent]()},
	} {
		p, _ := appendRecord(nil, r)
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		r, err := decodeRecord(p)
		if err != nil {
			return
		}
		again, err := appendRecord(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeRecord(again); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzScanner checks that, whatever bytes are on the disk, the scanner ends and returns only frames with a correct checksum.
func FuzzScanner(f *testing.F) {
	frame := openFrame(nil)
	frame = append(frame, "payload"...)
	closeFrame(frame)
	f.Add(frame, true)
	f.Add(append(append([]byte("rubbish"), frame...), frame[:9]...), false)
	f.Add(append(append([]byte(nil), frame[:15]...), frame...), true)
	f.Fuzz(func(t *testing.T, buf []byte, last bool) {
		var s scanner
		for off := 0; off < len(buf); {
			payload, n := s.next(buf[off:], last)
			if payload == nil {
				if last && off+n != len(buf) {
					t.Fatal("the scanner ended before the end of the data")
				}
				return
			}
			if n < frameHeader+len(payload) || len(payload) == 0 {
				t.Fatal("the scanner makes no progress")
			}
			frame := buf[off+n-len(payload)-frameHeader : off+n]
			if _, state := checkFrame(frame); state != frameSound {
				t.Fatal("the scanner returned a damaged frame")
			}
			off += n
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	r := Record{Click: filled[models.Click]()}
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = appendRecord(openFrame(buf[:0]), r)
		closeFrame(buf)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkDecode(b *testing.B) {
	p, _ := appendRecord(nil, Record{Click: filled[models.Click]()})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeRecord(p); err != nil {
			b.Fatal(err)
		}
	}
}
