package accountconfig

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db/copilot"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/autorule"
)

func copilotRules() kind {
	a := plain[autorule.Rule, *autorule.Rule]((*store.Store).CopilotRules, accountconfig.CopilotRuleCodec,
		func(r autorule.Rule) string { return r.Name })
	a.update = func(ctx context.Context, s *store.Store, r, _ autorule.Rule) error {
		_, err := copilot.NewRules(s).Change(ctx, r.AccountID, r.ID, func(saved *autorule.Rule) error {
			saved.Name, saved.IsActive, saved.Settings = r.Name, r.IsActive, r.Settings
			return nil
		})
		return err
	}
	return a
}

// botDetection accesses the settings of bot detection, as one record with the id of the account. Deleting it resets the settings
// to the defaults.
func botDetection() kind {
	read := func(ctx context.Context, s *store.Store, account uuid.UUID) (out accountconfig.BotSettings, err error) {
		set, err := s.FindBotSettings(ctx, account)
		out.Threshold, out.Disabled = set.Threshold, set.Disabled
		out.SetOwner(account, account)
		return out, err
	}
	write := func(ctx context.Context, s *store.Store, r, _ accountconfig.BotSettings) error {
		if _, err := s.LockBotSettings(ctx, r.AccountID); err != nil {
			return err
		}
		return s.SetBotSettings(ctx, r.AccountID, store.BotSettings{Threshold: r.Threshold, Disabled: r.Disabled})
	}
	return access[accountconfig.BotSettings, *accountconfig.BotSettings]{
		codec: func(models.Account) *accountconfig.Codec[accountconfig.BotSettings] {
			return accountconfig.BotDetectionCodec
		},
		list: func(ctx context.Context, s *store.Store, account uuid.UUID) ([]accountconfig.BotSettings, error) {
			one, err := read(ctx, s, account)
			return []accountconfig.BotSettings{one}, err
		},
		name: func(accountconfig.BotSettings) string { return accountconfig.SettingsKey },
		one: func(ctx context.Context, s *store.Store, account, _ uuid.UUID) (accountconfig.BotSettings, error) {
			return read(ctx, s, account)
		},
		create: func(ctx context.Context, s *store.Store, _ string, r accountconfig.BotSettings) (uuid.UUID, error) {
			return r.AccountID, write(ctx, s, r, r)
		},
		update: write,
		delete: func(ctx context.Context, s *store.Store, account, _ uuid.UUID) error {
			none, err := accountconfig.BotDetectionCodec.Decode(accountconfig.SettingsKey, nil, nil)
			none.SetOwner(account, account)
			if err == nil {
				err = write(ctx, s, none, none)
			}
			return err
		},
	}
}
