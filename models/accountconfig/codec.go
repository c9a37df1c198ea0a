package accountconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/bind"
)

// IDs translates between the keys of a document and the ids of records.
type IDs interface {
	// ID returns the id of a record by its key. ok is false if there is no such record.
	ID(kind Kind, key string) (id uuid.UUID, ok bool)
	// Key returns the key of a record by its id. ok is false if the record is not known.
	Key(kind Kind, id uuid.UUID) (key string, ok bool)
}

// Codec converts records of a kind between a document and the store.
type Codec[R any] struct {
	kind   Kind
	refs   []ref      // members that refer to another record
	keys   *bind.Keys // names of the members that the API's body may have
	read   func(body []byte) (R, error)
	view   func(R) any // the members of the record, with ids
	preset Members     // the members of a record in which everything has its default
}

// ref is a member that holds the key of another record. In the API's body, idMember holds that record's id.
type ref struct {
	member, idMember string
	kind             Kind
	isList           bool // both members hold lists
}

// Decode returns the record that members of a document describe. Its id and account are not set. The error is a Problem.
func (c *Codec[R]) Decode(key string, m Members, ids IDs) (R, error) {
	var none R
	t := toBody{kind: c.kind, ids: ids}
	body := t.record(m, c.refs)
	if t.err != nil {
		return none, t.err.at(c.kind, key)
	}
	raw, err := json.Marshal(body)
	if err == nil {
		err = c.keys.Check(raw)
	}
	if err != nil {
		return none, problemOf(err).at(c.kind, key)
	}
	record, err := c.read(raw)
	if err != nil {
		return none, problemOf(err).at(c.kind, key)
	}
	return record, nil
}

// Encode returns the members of a record. It leaves out defaults, and references to records whose key is not known.
func (c *Codec[R]) Encode(record R, ids IDs) (Members, error) {
	m, err := c.encode(record, ids)
	if err != nil {
		return nil, err
	}
	removeEqual(m, c.preset)
	return m, nil
}

func (c *Codec[R]) encode(record R, ids IDs) (Members, error) {
	m, err := membersOf(c.view(record))
	if err != nil {
		return nil, fmt.Errorf("accountconfig: members of a %s: %w", c.kind.Noun(), err)
	}
	fromBody{ids}.record(m, c.refs)
	return m, nil
}

func problemOf(err error) Problem {
	if p, ok := errors.AsType[Problem](err); ok {
		return p
	}
	if e, ok := models.AsError(err); ok {
		return Problem{Text: e.Message}
	}
	return Problem{Text: err.Error()}
}

func (p Problem) at(kind Kind, key string) Problem {
	p.Kind, p.Key = kind, key
	return p
}

func membersOf(v any) (m Members, err error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return ReadMembers(raw)
}

// ReadMembers reads members from JSON. Numbers keep their digits. For an empty text it returns no members.
func ReadMembers(raw []byte) (m Members, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return m, dec.Decode(&m)
}

// newCodec returns a codec whose defaults come from the record that is decoded from the body in smallest. The member called
// "name" and the members that are listed in own have no default.
func newCodec[R any](kind Kind, smallest string, c Codec[R], own ...string) *Codec[R] {
	c.kind = kind
	record, err := c.read([]byte(smallest))
	if err == nil {
		c.preset, err = c.encode(record, noIDs{})
	}
	if err != nil {
		panic("accountconfig: " + string(kind) + ": " + err.Error())
	}
	for _, name := range append(own, "name") {
		delete(c.preset, name)
	}
	return &c
}

// noIDs implements IDs without any record.
type noIDs struct{}

func (noIDs) ID(Kind, string) (uuid.UUID, bool)  { return uuid.Nil, false }
func (noIDs) Key(Kind, uuid.UUID) (string, bool) { return "", false }

// active is the member is_active of a record, which the API sets by a separate call.
type active struct {
	IsActive bool `json:"is_active" default:"true"`
}

func body[B any](raw []byte) (b B, isActive bool, err error) {
	var a struct {
		IsActive bind.Opt[bool] `json:"is_active"`
	}
	if err = bind.Decode(raw, &b); err == nil {
		err = bind.Decode(raw, &a)
	}
	return b, a.IsActive.Or(true), err
}
