package cloudflare

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The limits of one call to Workers KV. Cloudflare accepts 100 MB. KVBytes is less, to need less memory here.
const (
	KVPairs = 10_000
	KVBytes = 32 << 20
)

// KV is a namespace of Workers KV.
type KV struct {
	client *Client
	path   string
}

// NewKV returns a namespace of an account at Cloudflare.
func NewKV(c *Client, account, namespace string) KV {
	return KV{c, "/accounts/" + url.PathEscape(account) + "/storage/kv/namespaces/" + url.PathEscape(namespace)}
}

// Pair is a key with its value.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// kvTimeout is the timeout of one call. The largest call has 32 MB.
const kvTimeout = time.Minute

// Put writes pairs in as few requests as the limits allow. After each successful request it calls `done` with the keys of the
// request and with the keys that were not written. A key accepts only one write per second, so the caller may try the failed keys
// again. The first error ends Put. The pairs that were written before it stay.
func (k KV) Put(ctx context.Context, pairs iter.Seq[Pair], done func(tried, failed []string) error) error {
	var batch []json.RawMessage
	var tried []string
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		failed, err := k.bulk(ctx, Request{Method: http.MethodPut, Path: k.path + "/bulk", Body: batch})
		if err == nil {
			err = done(tried, failed)
		}
		batch, tried, size = nil, nil, 0
		return err
	}
	for p := range pairs {
		text, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("cloudflare: value of a key: %w", err)
		}
		if len(batch) == KVPairs || len(batch) > 0 && size+len(text) > KVBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		batch, tried, size = append(batch, text), append(tried, p.Key), size+len(text)
	}
	return flush()
}

// Delete removes keys in batches and calls `done` as Put does. A key that does not exist counts as removed.
func (k KV) Delete(ctx context.Context, keys []string, done func(tried, failed []string) error) error {
	for chunk := range slices.Chunk(keys, KVPairs) {
		failed, err := k.bulk(ctx, Request{Method: http.MethodPost, Path: k.path + "/bulk/delete", Body: chunk})
		if err == nil {
			err = done(chunk, failed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bulk makes a call and returns the keys that Cloudflare has not written or deleted. An older version of the API names no keys.
func (k KV) bulk(ctx context.Context, r Request) (failed []string, err error) {
	var out struct {
		Failed []string `json:"unsuccessful_keys"`
	}
	r.Timeout = kvTimeout
	_, err = k.client.Do(ctx, r, &out)
	return out.Failed, err
}

// Target returns the account and namespace that the pairs are written to.
func (k KV) Target() string { return strings.TrimPrefix(k.path, "/accounts/") }
