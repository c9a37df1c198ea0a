package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"switchyard/db"
)

const (
	foreignLinks = 10_000
	goalForeign  = 0.98
)

// foreign compares the rate of tracking links of two accounts, each on a domain of its own. The domain of one account also
// answers 10,000 links of another tracker.
func (r *run) foreign(ctx context.Context) error {
	d, err := db.Open(ctx, r.fleet.DatabaseURL, db.Options{Name: "bench"})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := r.addDomain(ctx, d, "plain.bench.example"); err != nil {
		return err
	}
	without := r.side(r.sent)
	if _, r.api, err = r.fleet.Account(ctx, "Bench foreign", "scale"); err != nil {
		return err
	}
	if err := r.create(ctx, "bench-foreign"); err != nil {
		return err
	}
	r.sent = 0
	if err := r.addDomain(ctx, d, "moved.bench.example"); err != nil {
		return err
	}
	own := r.link
	if err := r.importLinks(ctx, d); err != nil {
		return err
	}
	r.link = own
	with := r.side(r.sent)
	ratio, err := r.compare(ctx, without, with, "with links of another tracker")
	if err != nil {
		return err
	}
	r.add("tracking link, own domain", without.String(), "", true)
	r.add(fmt.Sprintf("tracking link, own domain with %d links of another tracker", foreignLinks), with.String(), "", true)
	r.add("rate with links / rate without, median", fmt.Sprintf("%.3f", ratio), fmt.Sprintf(">= %.2f", goalForeign), ratio >= goalForeign)
	return nil
}

// The domain is stored by SQL, because no DNS server answers for it.
func (r *run) addDomain(ctx context.Context, d *db.DB, host string) error {
	const q = `INSERT INTO domains (id, account_id, host, is_verified)
		SELECT gen_random_uuid(), account_id, $2, true FROM campaigns WHERE id = $1 RETURNING id`
	var domain uuid.UUID
	if err := d.QueryRowContext(ctx, q, r.campaign, host).Scan(&domain); err != nil {
		return fmt.Errorf("bench: domain: %w", err)
	}
	err := r.api.Do(ctx, http.StatusOK, http.MethodPatch, "/campaigns/"+r.campaign, object{"domain_id": domain}, nil)
	if err != nil {
		return err
	}
	r.link = &url.URL{Host: host, Path: r.link.Path}
	return r.waitLive(ctx)
}

func (r *run) importLinks(ctx context.Context, d *db.DB) error {
	const q = `INSERT INTO foreign_links (id, account_id, form, foreign_id, campaign_id)
		SELECT gen_random_uuid(), account_id, 'path', 'old-' || n, id FROM campaigns, generate_series(1, $2::int) n WHERE id = $1`
	if _, err := d.ExecContext(ctx, q, r.campaign, foreignLinks); err != nil {
		return fmt.Errorf("bench: links of another tracker: %w", err)
	}
	r.link = &url.URL{Host: r.link.Host, Path: "/old-" + strconv.Itoa(foreignLinks)}
	return r.waitLive(ctx)
}
