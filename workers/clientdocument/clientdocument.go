// Package clientdocument reads the documents in which programs describe themselves (OAuth Client ID Metadata Documents). It reads
// them only from the public internet, and follows no redirects.
package clientdocument

import (
	"context"
	"mime"
	"net/http"
	"strings"
	"time"

	"switchyard/db/assistant"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
)

// MaxBody is the largest number of bytes that a document may have.
const MaxBody = 10 << 10

// Options of the reader. Egress must have MaxBody as its limit.
type Options struct {
	Store  *store.Store
	Egress *egress.Client
	Now    func() time.Time // default time.Now
}

// readTime is how long the answer of a program's server may take.
const readTime = 12 * time.Second

// Register adds the handler to a runtime.
func Register(r *workers.Runtime, o Options) {
	if o.Now == nil {
		o.Now = time.Now
	}
	workers.Register(r, jobs.ReadClient, o.read)
}

// read reads the document of a client and stores the client. Error: invalid_client.
func (o Options) read(ctx context.Context, args jobs.ReadClientArgs) (jobs.ReadClientAnswer, error) {
	if !models.IsClientDocument(args.ID) {
		return jobs.ReadClientAnswer{}, models.Invalid("invalid_client", "this is not the address of a client's document")
	}
	answer, err := o.fetch(ctx, args.ID)
	if err != nil {
		return jobs.ReadClientAnswer{}, models.Invalid("invalid_client", "the document of this client cannot be read: %s", err)
	}
	if media, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); answer.Status != http.StatusOK || err != nil ||
		media != "application/json" && !strings.HasSuffix(media, "+json") {
		return jobs.ReadClientAnswer{}, models.Invalid("invalid_client", "the address of this client does not return a JSON document: the answer has the status %d", answer.Status)
	}
	client, err := models.ParseClientDocument(args.ID, answer.Body)
	if err != nil {
		return jobs.ReadClientAnswer{}, err
	}
	return jobs.ReadClientAnswer{Name: client.Name}, assistant.New(o.Store).StoreClient(ctx, client, o.Now())
}

func (o Options) fetch(ctx context.Context, address string) (egress.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return egress.Answer{}, err
	}
	req.Header.Set("Accept", "application/json")
	return o.Egress.Do(req)
}
