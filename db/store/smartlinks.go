package store

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/cond"
)

// Smartlinks accesses the smartlinks of accounts. Removing a smartlink frees its name and its slug; its clicks stay in the log.
type Smartlinks struct{ pausable[models.Smartlink] }

// Smartlinks returns access to the smartlinks.
func (s *Store) Smartlinks() Smartlinks {
	return Smartlinks{pausable[models.Smartlink]{records[models.Smartlink]{s, smartlinkTable}}}
}

var smartlinkTable = newTable(table[models.Smartlink]{
	name: "smartlinks", what: "smartlink", removed: "deleted_at",
	allowance: allowance{limit: func(p models.Plan) int { return p.Smartlinks }},
	joined:    `, d.host, coalesce(s.name, '') AS source_name`,
	join:      `JOIN domains d ON d.id = t.domain_id LEFT JOIN traffic_sources s ON s.id = t.source_id`,
})

// Create adds a smartlink and its rules under new ids. If the slug is empty, Create generates one.
func (k Smartlinks) Create(ctx context.Context, l models.Smartlink) (models.Smartlink, error) {
	if err := checkRuleValues(l.Rules, nil); err != nil {
		return l, err
	}
	return createSmartlink(ctx, k.s, l)
}

// checkRuleValues refuses conditions with a value that no visitor can have. Conditions of the old rules are accepted.
func checkRuleValues(rules, old []models.SmartlinkRule) error {
	var oldConditions []cond.Condition
	for _, r := range old {
		oldConditions = append(oldConditions, r.Conditions...)
	}
	for _, r := range rules {
		if err := cond.CheckValues(r.Conditions, oldConditions); err != nil {
			return models.Invalid("invalid_condition", "%s", err)
		}
	}
	return nil
}

func createSmartlink(ctx context.Context, s *Store, l models.Smartlink) (models.Smartlink, error) {
	return TxOf(ctx, s, func(s *Store) (models.Smartlink, error) {
		err := s.allow(ctx, l.AccountID, smartlinkTable.allowance)
		if err == nil {
			err = s.prepareSmartlink(ctx, &l, models.Smartlink{})
		}
		if err != nil {
			return l, err
		}
		return withAlias(ctx, s, l.Slug == "", &l.Slug, func(s *Store) (models.Smartlink, error) {
			return smartlinkTable.add(ctx, s, l)
		})
	})
}

func (s *Store) prepareSmartlink(ctx context.Context, l *models.Smartlink, old models.Smartlink) error {
	identifyRules(l.Rules, old.Rules)
	if err := s.allowMatching(ctx, l.AccountID, old.ID, l.MatchBytes); err != nil {
		return err
	}
	if err := s.checkDomain(ctx, l.AccountID, l.DomainID); err != nil || l.SourceID == old.SourceID {
		return err
	}
	return sourceTable.check(ctx, s, l.AccountID, l.SourceID, "source")
}

// Update saves every field of a smartlink, except IsActive if KeepActive is set. A rule that the smartlink already had keeps its
// id, and so its statistics. An unchanged source is not checked, because it may have been deactivated since.
func (k Smartlinks) Update(ctx context.Context, l models.Smartlink) (models.Smartlink, error) {
	return TxOf(ctx, k.s, func(s *Store) (models.Smartlink, error) {
		old, err := smartlinkTable.findLocked(ctx, s, l.AccountID, l.ID)
		if err != nil {
			return l, err
		}
		if l.KeepActive {
			l.IsActive = old.IsActive
		}
		if err := checkRuleValues(l.Rules, old.Rules); err != nil {
			return l, err
		}
		if err := s.prepareSmartlink(ctx, &l, old); err != nil {
			return l, err
		}
		return withAlias(ctx, s, l.Slug == "", &l.Slug, func(s *Store) (models.Smartlink, error) {
			return smartlinkTable.save(ctx, s, l)
		})
	})
}

// identifyRules gives a new id to each rule whose id is not among the old rules or was used before in the list.
func identifyRules(rules, old []models.SmartlinkRule) {
	seen := map[uuid.UUID]bool{}
	for i := range rules {
		id := rules[i].ID
		had := slices.ContainsFunc(old, func(r models.SmartlinkRule) bool { return r.ID == id })
		if !had || seen[id] {
			rules[i].ID = uuid.Must(uuid.NewV7())
		}
		seen[rules[i].ID] = true
	}
}

// checkDomain refuses an id that is not a domain of the account. FOR KEY SHARE: the domain cannot be deleted before the smartlink
// is saved.
func (s *Store) checkDomain(ctx context.Context, account, id uuid.UUID) error {
	const q = `SELECT id FROM domains WHERE account_id = $1 AND id = $2 FOR KEY SHARE`
	_, found, err := db.First[uuid.UUID](ctx, s.c, "domain", q, account, id)
	if err == nil && !found {
		err = models.Invalid("invalid_domain", "domain_id is not a tracking domain of this account")
	}
	return err
}

// Clone copies a smartlink under a new slug. The copy is paused. It has no source if the smartlink's source is deactivated.
func (k Smartlinks) Clone(ctx context.Context, account, id uuid.UUID) (models.Smartlink, error) {
	return smartlinkTable.clone(ctx, k.s, account, id, func(s *Store, l *models.Smartlink) (err error) {
		l.Slug, l.IsActive = "", false
		l.SourceID, err = sourceTable.orNone(ctx, s, account, l.SourceID)
		return err
	}, createSmartlink)
}

// Names returns the names and slugs of smartlinks by id, including deleted smartlinks. If ids is nil, it returns all.
func (k Smartlinks) Names(ctx context.Context, account uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]SmartlinkName, error) {
	const q = `SELECT id, name, slug FROM smartlinks WHERE account_id = $1 AND ($2::uuid[] IS NULL OR id = ANY ($2))`
	rows, err := db.Select[SmartlinkName](ctx, k.s.c, "names of smartlinks", q, account, ids)
	return db.ByKey(rows, func(n SmartlinkName) uuid.UUID { return n.ID }), err
}

// SmartlinkName has the name and the slug of a smartlink.
type SmartlinkName struct {
	ID   uuid.UUID `db:"id"`
	Name string    `db:"name"`
	Slug string    `db:"slug"`
}
