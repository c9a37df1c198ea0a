// Package shelf keeps many small texts in one piece of memory.
package shelf

import "strings"

// Shelf holds texts side by side. How long they are together is told first, so that they are never moved.
type Shelf struct{ texts strings.Builder }

// New makes room for so many bytes.
func New(size int) *Shelf {
	s := &Shelf{}
	s.texts.Grow(size)
	return s
}

// Put gives a copy of the text that stands on the shelf.
func (s *Shelf) Put(text string) string {
	at := s.texts.Len()
	s.texts.WriteString(text)
	return s.texts.String()[at:]
}
