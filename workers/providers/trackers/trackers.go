// Package trackers has what the readers of other trackers share. Each reader of an API is a package in this folder, with a function
//
//	Read(ctx context.Context, client *http.Client, access trackers.Access, progress trackers.Progress) (trackerimport.Result, error)
//
// A reader changes nothing at the other tracker. In the service, its client must come from workers/egress, so that a customer's
// address cannot lead into a private network. No error of a reader contains a credential.
package trackers

import "log/slog"

// Access has the address of another tracker and the credentials for its API. The service stores it encrypted until the import ends.
type Access struct {
	URL string // such as https://tracker.example.com; empty for a tracker with one address for all customers
	ID  string // the public part of the credentials, or empty
	Key string // the secret part
}

// LogValue keeps the credentials out of logs.
func (a Access) LogValue() slog.Value { return slog.StringValue(a.URL) }

// Progress is called during a run with the kind of records, the number of finished ones, and the total, or 0 while it is unknown.
type Progress func(what string, done, of int)
