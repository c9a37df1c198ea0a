package alerts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
)

// TestAlertBecomesCritical checks that, for channels that receive only critical alerts, an alert begins when it becomes critical.
// It does not begin again for the other channels.
func TestAlertBecomesCritical(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.add(models.ChannelSlack, "warning", map[string]string{"url": w.url + "/all"})
	w.add(models.ChannelSlack, "critical", map[string]string{"url": w.url + "/severe"})
	domain := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($2, $1, 'go.acme.com', true)`, w.account, domain)
	dbtest.Exec(w, w.db, `INSERT INTO certificates (account_id, domain_id, host, edge, serving, expires_at) VALUES ($1, $2, 'go.acme.com', 'acme', true, now())`,
		w.account, domain)
	for i, step := range []struct {
		days        int
		all, severe string // the expected message to each channel; empty if it gets none
	}{
		{9, "BEGAN (warning)", ""},
		{1, "", "BEGAN (critical)"},
		{9, "", ""},
		{1, "", ""},
		{99, "ENDED", "ENDED"},
		{1, "BEGAN (critical)", "BEGAN (critical)"},
	} {
		dbtest.Exec(w, w.db, `UPDATE certificates SET expires_at = $1`, time.Now().AddDate(0, 0, step.days))
		w.sweep()
		w.sweep()
		got := w.received()
		for path, want := range map[string]string{"/all": step.all, "/severe": step.severe} {
			text := got[path]
			if want == "" && text != "" || want != "" && strings.Count(text, want+" certificate.expiring: go.acme.com") != 1 {
				t.Error(fmt.Sprintf("step %d, %s, want %q:", i, path, want), text)
			}
		}
	}
}
