package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/botlist"
)

// BotEntries accesses the allow and deny lists of accounts.
type BotEntries struct{ records[models.BotEntry] }

// BotEntries returns access to the bot lists.
func (s *Store) BotEntries() BotEntries {
	return BotEntries{records[models.BotEntry]{s, botEntryTable}}
}

var botEntryTable = newTable(table[models.BotEntry]{
	name: "bot_entries", what: "entry",
	prepare: func(ctx context.Context, s *Store, e, _ *models.BotEntry) error {
		if err := campaignTable.check(ctx, s, e.AccountID, e.CampaignID, "campaign"); err != nil {
			return err
		}
		if err := s.allowBotValues(ctx, e); err != nil {
			return err
		}
		return s.allowMatching(ctx, e.AccountID, e.ID, e.MatchBytes)
	},
})

// allowBotValues refuses an entry that exceeds the plan's number of values (plan_limit) or the steps that matching may cost
// (invalid_input). It locks the account until the transaction ends.
func (s *Store) allowBotValues(ctx context.Context, e *models.BotEntry) error {
	plan, err := s.lockedPlan(ctx, e.AccountID)
	if err != nil {
		return err
	}
	have, err := db.Get[struct {
		Values int `db:"values"`
		Steps  int `db:"steps"`
	}](ctx, s.c, "bot lists", `SELECT coalesce(sum(value_count), 0) AS values, coalesce(sum(match_steps), 0) AS steps
		FROM bot_entries WHERE account_id = $1`, e.AccountID)
	switch {
	case err != nil:
		return err
	case have.Values+e.ValueCount > plan.BotValues:
		return models.PlanLimit("the plan %q allows %d values in bot lists: the lists have %d values, and this entry has %d", plan.Name,
			plan.BotValues, have.Values, e.ValueCount)
	case e.MatchSteps > 0 && have.Steps+e.MatchSteps > botlist.Budget:
		return models.Invalid("invalid_input", "the texts and patterns of the bot lists would cost %d steps at each click, and at "+
			"most %d are allowed: use equals or in_cidr instead", have.Steps+e.MatchSteps, botlist.Budget)
	}
	return nil
}

// Blocked counts, for each deny entry, the clicks that the entry marked as bots in the hours of [from, to).
func (k BotEntries) Blocked(ctx context.Context, account uuid.UUID, w models.TimeRange) (map[uuid.UUID]int64, error) {
	return db.Pairs[uuid.UUID, int64](ctx, k.s.c, "blocked clicks", `SELECT entry_id, sum(clicks)::bigint FROM bot_entry_hours
		WHERE account_id = $1 AND hour >= date_trunc('hour', $2::timestamptz, 'UTC') AND hour < $3 GROUP BY entry_id`,
		account, w.From, w.To)
}

// Sizes returns the number of an account's entries by list type.
func (k BotEntries) Sizes(ctx context.Context, account uuid.UUID) (map[string]int, error) {
	return db.Pairs[string, int](ctx, k.s.c, "bot lists", `SELECT list_type, count(*) FROM bot_entries
		WHERE account_id = $1 GROUP BY list_type`, account)
}

// BotSettings are the settings by which an account scores its clicks.
type BotSettings struct {
	Threshold int            `db:"bot_threshold"`
	Disabled  pq.StringArray `db:"bot_disabled"`
}

// Settings returns the settings in the form that package bot uses.
func (s BotSettings) Settings() bot.Settings { return bot.NewSettings(s.Threshold, s.Disabled) }

// FindBotSettings returns the bot settings of an account.
func (s *Store) FindBotSettings(ctx context.Context, account uuid.UUID) (BotSettings, error) {
	return db.Get[BotSettings](ctx, s.c, "account", `SELECT bot_threshold, bot_disabled FROM accounts WHERE id = $1`, account)
}

// Transactions that score stored clicks again share the lock. A change of the settings waits until they have ended.
const (
	shareLockBotSettings = `SELECT pg_advisory_xact_lock_shared(hashtextextended('switchyard bot settings ' || $1::text, 0))`
	lockBotSettings      = `SELECT pg_advisory_xact_lock(hashtextextended('switchyard bot settings ' || $1::text, 0))`
)

// ShareBotSettings returns the bot settings of an account, and prevents changes of them until the transaction ends. A
// transaction that scores stored clicks again must call it first.
func (s *Store) ShareBotSettings(ctx context.Context, account uuid.UUID) (bot.Settings, error) {
	return s.botSettingsWithLock(ctx, shareLockBotSettings, account)
}

// LockBotSettings returns the bot settings of an account for a transaction that changes the settings.
func (s *Store) LockBotSettings(ctx context.Context, account uuid.UUID) (bot.Settings, error) {
	return s.botSettingsWithLock(ctx, lockBotSettings, account)
}

func (s *Store) botSettingsWithLock(ctx context.Context, lock string, account uuid.UUID) (bot.Settings, error) {
	if err := s.run(ctx, "bot settings", lock, account); err != nil {
		return bot.Settings{}, err
	}
	set, err := s.FindBotSettings(ctx, account)
	return set.Settings(), err
}

// SetBotSettings saves the bot settings of an account.
func (s *Store) SetBotSettings(ctx context.Context, account uuid.UUID, set BotSettings) error {
	return s.execOne(ctx, "account", `UPDATE accounts SET bot_threshold = $2, bot_disabled = $3 WHERE id = $1`, account,
		set.Threshold, set.Disabled)
}
