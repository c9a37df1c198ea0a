// Package trackers has the code that the readers of other trackers share. Each reader is a package below this one, with a function
//
//	Read(ctx context.Context, client *http.Client, access trackers.Access, progress trackers.Progress) (trackerimport.Result, error)
//
// A reader changes nothing at the other tracker. In the service, its client must come from workers/egress, so that an address that the
// customer enters cannot lead into a private network. No error of a reader contains a credential.
package trackers

import "log/slog"

// Access has the address of another tracker and the credentials for its API. It is used for one run and never stored.
type Access struct {
	URL string // of the tracker, such as https://tracker.example.com; empty for a tracker with one address for all customers
	ID  string // the part of the credentials that identifies the caller; empty if the tracker has no such part
	Key string // the secret part
}

// LogValue keeps the credentials out of logs.
func (a Access) LogValue() slog.Value { return slog.StringValue(a.URL) }

// Progress is called during a run. `what` names the kind of records that are being read. `done` is the number of finished records.
// `of` is the total number of records, or 0 while the total is not known.
type Progress func(what string, done, of int)
