package trackerimport

import "switchyard/models/accountconfig"

// Put adds a record to the document.
func (r *Result) Put(kind accountconfig.Kind, key string, members accountconfig.Members) {
	if r.Document == nil {
		r.Document = accountconfig.Document{}
	}
	if r.Document[kind] == nil {
		r.Document[kind] = map[string]accountconfig.Members{}
	}
	r.Document[kind][key] = members
}

// Has reports whether the document has a record.
func (r *Result) Has(kind accountconfig.Kind, key string) bool {
	_, ok := r.Document[kind][key]
	return ok
}

// Note adds a note about a record, unless the record already has the same note.
func (r *Result) Note(severity string, kind accountconfig.Kind, key, name, text string) {
	n := Note{Severity: severity, Kind: kind, Key: key, Name: name, Text: text}
	for i := len(r.Notes) - 1; i >= 0 && r.Notes[i].Key == key; i-- { // notes about a record follow each other
		if r.Notes[i] == n {
			return
		}
	}
	r.Notes = append(r.Notes, n)
}
