package spool

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"switchyard/models"
)

// Record is one fact on its way to PostgreSQL. Exactly one member is set.
type Record struct {
	Click    *models.Click
	Out      *models.ClickOut
	Postback *models.Postback
	Smart    *models.SmartlinkClick
	Event    *models.SiteEvent
	Trap     *models.ClickTrap
}

// The first byte of an encoded record is the record's kind. The numbers are stored on disk, so a number must never be reused.
const (
	kindClick    = 1
	kindOut      = 2
	kindPostback = 3
	kindSmart    = 4
	kindEvent    = 5
	kindTrap     = 6
)

var (
	errEmptyRecord = errors.New("spool: a record without content")
	errCorrupt     = errors.New("spool: a record that cannot be read")
)

func appendRecord(b []byte, r Record) ([]byte, error) {
	switch {
	case r.Click != nil:
		return appendFields(append(b, kindClick), clickFields, r.Click), nil
	case r.Out != nil:
		return appendFields(append(b, kindOut), outFields, r.Out), nil
	case r.Postback != nil:
		return appendFields(append(b, kindPostback), postbackFields, r.Postback), nil
	case r.Smart != nil:
		return appendFields(append(b, kindSmart), smartlinkFields, r.Smart), nil
	case r.Event != nil:
		return appendFields(append(b, kindEvent), eventFields, r.Event), nil
	case r.Trap != nil:
		return appendFields(append(b, kindTrap), trapFields, r.Trap), nil
	}
	return b, errEmptyRecord
}

// decodeRecord reads an encoded record. It skips fields that this version does not know, so that an older process can read the
// records of a newer process. It cleans the texts, so that PostgreSQL accepts them.
func decodeRecord(p []byte) (Record, error) {
	if len(p) == 0 {
		return Record{}, errCorrupt
	}
	var r Record
	var err error
	switch p[0] {
	case kindClick:
		r.Click = new(models.Click)
		err = readFields(p[1:], clickFields, r.Click)
	case kindOut:
		r.Out = new(models.ClickOut)
		err = readFields(p[1:], outFields, r.Out)
	case kindPostback:
		r.Postback = new(models.Postback)
		err = readFields(p[1:], postbackFields, r.Postback)
	case kindSmart:
		r.Smart = new(models.SmartlinkClick)
		err = readFields(p[1:], smartlinkFields, r.Smart)
	case kindEvent:
		r.Event = new(models.SiteEvent)
		err = readFields(p[1:], eventFields, r.Event)
	case kindTrap:
		r.Trap = new(models.ClickTrap)
		err = readFields(p[1:], trapFields, r.Trap)
	default:
		err = fmt.Errorf("%w: kind %d", errCorrupt, p[0])
	}
	if err == nil && r.id() == uuid.Nil {
		err = fmt.Errorf("%w: no id", errCorrupt)
	}
	return r, err
}

func (r Record) id() uuid.UUID {
	switch {
	case r.Click != nil:
		return r.Click.ID
	case r.Out != nil:
		return r.Out.ID
	case r.Postback != nil:
		return r.Postback.ID
	case r.Smart != nil:
		return r.Smart.ID
	case r.Event != nil:
		return r.Event.ID
	case r.Trap != nil:
		return r.Trap.ClickID
	}
	return uuid.Nil
}
