package cli

import (
	dbalerts "switchyard/db/alerts"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/alerts"
	"switchyard/workers/egress"
	"switchyard/workers/providers/chat"
	"switchyard/workers/providers/mail"
)

// registerAlerts registers the jobs that send alerts by e-mail and chat.
func registerAlerts(cfg config.Config, r *workers.Runtime, records *store.Store, figures report.Reader) error {
	out, err := newEgress(cfg, egress.Options{})
	if err != nil {
		return err
	}
	o := alerts.Options{
		Alerts: dbalerts.Reader{Store: records, Figures: figures}, From: cfg.BaseURL,
		Chat: chat.New(chat.Options{Egress: out, Telegram: cfg.TelegramURL}), Schedule: cfg.WebhookSchedule,
	}
	if cfg.SMTPURL != "" {
		if o.Mail, err = mail.New(mail.Options{URL: cfg.SMTPURL, From: cfg.SMTPFrom, CAFile: cfg.EgressCAFile}); err != nil {
			return err
		}
	}
	alerts.Register(r, records, o)
	return nil
}
