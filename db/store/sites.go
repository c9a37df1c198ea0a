package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// Sites accesses the sites of accounts and their goals.
type Sites struct{ records[models.Site] }

// Sites returns access to the sites.
func (s *Store) Sites() Sites { return Sites{records[models.Site]{s, siteTable}} }

var siteTable = newTable(table[models.Site]{name: "sites", what: "site"})

var goalTable = newTable(table[models.Goal]{name: "goals", what: "goal"})

// List lists the sites of an account, oldest first.
func (k Sites) List(ctx context.Context, account uuid.UUID) ([]models.Site, error) {
	return db.Select[models.Site](ctx, k.s.c, "sites", siteTable.from+` WHERE `+siteTable.live+` ORDER BY t.id`, account)
}

// Create adds a site under a new id. If seed is true, it also adds the suggested goals. Errors: plan_limit, duplicate_name.
func (k Sites) Create(ctx context.Context, site models.Site, seed bool) (models.Site, error) {
	return TxOf(ctx, k.s, func(s *Store) (models.Site, error) {
		if err := s.allowGoals(ctx, site.AccountID, siteTable.allowance.count, "sites",
			func(p models.Plan) int { return p.Sites }, site.AccountID); err != nil {
			return site, err
		}
		saved, err := siteTable.add(ctx, s, site)
		if err != nil || !seed {
			return saved, err
		}
		for _, g := range models.SuggestedGoals(saved) {
			if _, err := goalTable.add(ctx, s, g); err != nil {
				return saved, err
			}
		}
		return saved, nil
	})
}

// allowGoals returns the error plan_limit if the plan has no goal tracking, or no room for another record.
func (s *Store) allowGoals(ctx context.Context, account uuid.UUID, count, what string, limit func(models.Plan) int, args ...any,
) error {
	plan, err := s.lockedPlan(ctx, account)
	if err != nil {
		return err
	}
	if !plan.GoalTracking {
		return models.PlanLimit("the plan %q has no goal tracking", plan.Name)
	}
	have, err := db.Get[int](ctx, s.c, what, count, args...)
	if err == nil && have >= limit(plan) {
		err = models.PlanLimit("the plan %q allows %d %s", plan.Name, limit(plan), what)
	}
	return err
}

// Update replaces the settings of a site. A nil isActive keeps the state. Errors: not_found, duplicate_name.
func (k Sites) Update(ctx context.Context, site models.Site, isActive *bool) (models.Site, error) {
	return TxOf(ctx, k.s, func(s *Store) (models.Site, error) {
		old, err := siteTable.findLocked(ctx, s, site.AccountID, site.ID)
		if err != nil {
			return site, err
		}
		site.IsActive = old.IsActive
		if isActive != nil {
			site.IsActive = *isActive
		}
		return siteTable.save(ctx, s, site)
	})
}

const clearMeasured = `
UPDATE campaigns SET measurement_site_id = NULL, updated_at = clock_timestamp()
WHERE account_id = $1 AND measurement_site_id = $2 AND deleted_at IS NULL`

// Remove deletes a site and its goals. campaigns is the number of campaigns that used the site for measurement. The site's events
// and conversions stay. ok is false if there is no such site.
func (k Sites) Remove(ctx context.Context, account, id uuid.UUID) (campaigns int64, ok bool, err error) {
	err = k.s.Tx(ctx, func(s *Store) error {
		n, err := s.exec(ctx, "delete site", siteTable.remove, account, id)
		if err != nil || n == 0 {
			return err
		}
		ok = true
		campaigns, err = s.exec(ctx, "campaigns of site", clearMeasured, account, id)
		return err
	})
	return campaigns, ok, err
}

// Lead returns the account's oldest lead site, preferably an active one. If there is no lead site, it creates one with its goals.
// Error: plan_limit.
func (k Sites) Lead(ctx context.Context, account models.Account) (models.Site, error) {
	return TxOf(ctx, k.s, func(s *Store) (models.Site, error) {
		plan, err := s.lockedPlan(ctx, account.ID)
		if err != nil {
			return models.Site{}, err
		}
		if !plan.GoalTracking {
			return models.Site{}, models.PlanLimit("the plan %q has no goal tracking", plan.Name)
		}
		q := siteTable.from + ` WHERE ` + siteTable.live + ` AND t.kind = 'lead' ORDER BY t.is_active DESC, t.id LIMIT 1`
		if found, ok, err := db.First[models.Site](ctx, s.c, "lead site", q, account.ID); err != nil || ok {
			return found, err
		}
		const seed = true
		return s.Sites().Create(ctx, models.Site{
			Owned: models.Owned{AccountID: account.ID}, Name: "Leads", Kind: models.SiteLead,
			SiteTerms: models.SiteTerms{Currency: account.Currency, RevenueFrom: models.RevenueOrder, IsActive: true},
		}, seed)
	})
}

// Site returns a site of the account. If id is zero, it returns the oldest active site.
func (k Sites) Site(ctx context.Context, account, id uuid.UUID) (site models.Site, ok bool, err error) {
	q := siteTable.from + ` WHERE ` + siteTable.live + ` AND (t.id = $2 OR $2 IS NULL AND t.is_active) ORDER BY t.id LIMIT 1`
	return db.First[models.Site](ctx, k.s.c, "site", q, account, db.OrNull(id))
}

// Goals lists the goals of a site. The primary goal comes first.
func (k Sites) Goals(ctx context.Context, account, site uuid.UUID) ([]models.Goal, error) {
	q := goalTable.from + ` WHERE ` + goalTable.live + ` AND t.site_id = $2 ORDER BY t.is_primary DESC, t.id`
	return db.Select[models.Goal](ctx, k.s.c, "goals", q, account, site)
}

const (
	countGoals = `SELECT count(*) FROM goals WHERE account_id = $1 AND site_id = $2`
	onePrimary = `UPDATE goals SET is_primary = false, updated_at = clock_timestamp()
		WHERE account_id = $1 AND site_id = $2 AND id <> $3 AND is_primary`
)

// SaveGoal creates or changes the goal of a site with the given key. If site is zero, it uses the oldest active site. It calls
// edit with the saved goal, or with the defaults of a new goal. A goal that becomes primary replaces the former primary goal.
// Errors: no_site, duplicate_name, and plan_limit for a new goal.
func (k Sites) SaveGoal(ctx context.Context, account, site uuid.UUID, key string, edit func(*models.Goal) error) (
	models.Goal, error,
) {
	return LockedTxOf(ctx, k.s, account, func(s *Store) (saved models.Goal, err error) {
		found, ok, err := s.Sites().Site(ctx, account, site)
		if err != nil || !ok {
			return saved, orNoSite(err)
		}
		goals, err := s.Sites().Goals(ctx, account, found.ID)
		if err != nil {
			return saved, err
		}
		g, save := models.NewGoal(found, key), goalTable.save
		if i := slices.IndexFunc(goals, func(o models.Goal) bool { return o.Key == key }); i >= 0 {
			g = goals[i]
		} else {
			save = goalTable.add
			if err := s.allowGoals(ctx, account, countGoals, "goals of one site",
				func(p models.Plan) int { return p.Goals }, account, found.ID); err != nil {
				return saved, err
			}
		}
		if err := edit(&g); err != nil {
			return saved, err
		}
		if saved, err = save(ctx, s, g); err == nil && saved.IsPrimary {
			err = s.run(ctx, "primary goal", onePrimary, account, found.ID, saved.ID)
		}
		return saved, err
	})
}

// LockGoal returns a goal and locks the account until the transaction ends. If site is zero, it uses the oldest active site.
// Errors: no_site, not_found.
func (k Sites) LockGoal(ctx context.Context, account, site uuid.UUID, key string) (goal models.Goal, err error) {
	if err := k.s.LockAccount(ctx, account); err != nil {
		return goal, err
	}
	found, ok, err := k.Site(ctx, account, site)
	if err != nil || !ok {
		return goal, orNoSite(err)
	}
	q := goalTable.from + ` WHERE ` + goalTable.live + ` AND t.site_id = $2 AND t.key = $3`
	return db.Get[models.Goal](ctx, k.s.c, "goal", q, account, found.ID, key)
}

func orNoSite(err error) error {
	if err == nil {
		err = models.Invalid("no_site", "there is no such site on this account")
	}
	return err
}

// RemoveGoal deletes a goal and reports whether it existed. If site is zero, it uses the oldest active site. The goal's
// conversions stay. Error: no_site.
func (k Sites) RemoveGoal(ctx context.Context, account, site uuid.UUID, key string) (bool, error) {
	found, ok, err := k.Site(ctx, account, site)
	if err != nil || !ok {
		return false, orNoSite(err)
	}
	n, err := k.s.exec(ctx, "delete goal", `DELETE FROM goals WHERE account_id = $1 AND site_id = $2 AND key = $3`, account, found.ID, key)
	return n > 0, err
}

func goalSecretPlace(account uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "accounts", Row: account.String(), Column: "goal_secret"}
}

// RotateGoalSecret replaces the secret with which the account's servers report goals. It returns the new secret, which the
// API shows only once. The previous secret stays valid for models.SecretOverlap. Older secrets are invalid.
func (k Sites) RotateGoalSecret(ctx context.Context, account uuid.UUID) (string, error) {
	secret := models.NewGoalSecret()
	sealed, err := k.s.box.SealForService(ctx, goalSecretPlace(account), []byte(secret))
	if err != nil {
		return "", fmt.Errorf("db: seal goal secret: %w", err)
	}
	const q = `UPDATE accounts SET goal_secret_hash = $2, goal_secret = $3, goal_secret_at = clock_timestamp(),
		old_goal_secret_hash = goal_secret_hash, old_goal_secret = goal_secret,
		old_goal_secret_until = CASE WHEN goal_secret IS NOT NULL THEN now() + make_interval(secs => $4) END WHERE id = $1`
	return secret, k.s.execOne(ctx, "account", q, account, models.HashToken(secret), sealed, models.SecretOverlap.Seconds())
}

// OpenGoalSecret decrypts a secret that RotateGoalSecret has sealed.
func (s *Store) OpenGoalSecret(ctx context.Context, account uuid.UUID, sealed []byte) (string, error) {
	secret, err := s.box.Open(ctx, goalSecretPlace(account), sealed)
	if err != nil {
		return "", fmt.Errorf("db: goal secret: %w", err)
	}
	return string(secret), nil
}

// GoalSecretAt returns the time at which the goal secret was created, or nil if there is no secret.
func (k Sites) GoalSecretAt(ctx context.Context, account uuid.UUID) (*time.Time, error) {
	return db.Get[*time.Time](ctx, k.s.c, "account", `SELECT goal_secret_at FROM accounts WHERE id = $1`, account)
}
