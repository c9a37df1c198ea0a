package browser

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"switchyard/models"
	"switchyard/models/parttest"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// TestFailedJobRunsByAClick: an operator runs a failed delivery again on the page of the queues.
func TestFailedJobRunsByAClick(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	var mended atomic.Bool
	receiver, err := fleet.NewReceiver(func(context.Context, fleet.Attempt) int {
		if mended.Load() {
			return http.StatusOK
		}
		return http.StatusInternalServerError
	})
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	p := openPage(t)
	s := e2e.StartService(t, fleet.Options{Receiver: receiver, Env: []string{"WEBHOOK_SCHEDULE=1s"}}, "web", "worker", "clock")
	var hook struct{ ID, Secret string }
	body := map[string]any{"url": receiver.URL("/hook"), "events": []string{models.EventCampaignPaused}}
	if err := s.API.Create(t.Context(), "/webhooks", body, &hook); err != nil {
		t.Fatal(err)
	}
	receiver.SetSecret("/hook", hook.Secret)
	var campaigns struct{ Rows []struct{ ID string } }
	if err := s.API.Get(t.Context(), "/campaigns", &campaigns); err != nil || len(campaigns.Rows) != 1 {
		t.Fatal(campaigns, err)
	}
	pause := map[string]any{"status": "paused"}
	err = s.API.Do(t.Context(), http.StatusOK, http.MethodPatch, "/campaigns/"+campaigns.Rows[0].ID, pause, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := s.WaitDelivery(t, models.DeliveryFailed)

	p.visit(s.OpsURL+"/ops/queues", "ops", s.OpsPassword)
	p.waitText("webhooks")
	p.click(`[...document.querySelectorAll('a')].find(a => a.innerText.trim() === 'webhooks')`)
	p.waitText("Archived")
	p.click(`[...document.querySelectorAll('.MuiChip-root')].find(c => c.innerText.includes('Archived'))`)
	p.waitText(models.KindDeliverWebhook)
	for _, secret := range []string{hook.Secret, s.OpsPassword} {
		if strings.Contains(p.run(`document.documentElement.outerHTML`), secret) {
			t.Error("the page shows a secret")
		}
	}
	mended.Store(true)
	row := `[...document.querySelectorAll('tbody tr')].find(r => r.innerHTML.includes('` + id + `'))`
	p.hover(row + `?.querySelector('td:last-child')`) // the row shows its buttons only under the pointer
	p.click(row + `?.querySelector('button[title="Run"]')`)
	s.WaitDelivery(t, models.DeliveryDelivered)
	for _, address := range p.requested() {
		if !strings.HasPrefix(address, s.OpsURL+"/") && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page asks another host: %s", address)
		}
	}
	attempts := receiver.Attempts()
	if n := len(attempts); n != 3 || !attempts[n-1].Accepted() || attempts[n-1].Delivery != id {
		t.Errorf("%d attempts, want two failures and then a success from the click: %+v", n, attempts)
	}
}
