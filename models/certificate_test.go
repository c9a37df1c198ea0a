package models

import (
	"slices"
	"testing"
	"time"
)

// TestNextCheck checks the waits after failures, while a certificate is issued, and while it serves.
func TestNextCheck(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(ago time.Duration) *time.Time { v := now.Add(-ago); return &v }
	failing := func(attempts int, since time.Duration) Certificate {
		return Certificate{Failure: "edge_1405: full", Attempts: attempts, FailingSince: at(since)}
	}
	serving := Certificate{CertificateState: CertificateState{Serving: true, SSLStatus: SSLActive}}
	renewed, stuck, away := serving, failing(2, time.Hour), serving
	renewed.RenewAt = at(-time.Hour)
	late := serving
	late.RenewAt = at(time.Hour)
	stuck.Failure, stuck.SSLStatus = "", SSLValidationTimeout
	away.Failure, away.Attempts, away.FailingSince = "edge_502: away", 90, at(90*day)
	pending := func(age time.Duration) Certificate {
		return Certificate{ChangedAt: now.Add(-age), CertificateState: CertificateState{SSLStatus: SSLPendingValidation}}
	}
	for name, tt := range map[string]struct {
		c    Certificate
		want time.Duration // 0: only on request
	}{
		"first failure": {failing(1, 0), time.Minute}, "second failure": {failing(2, time.Hour), 4 * time.Minute},
		"sixth failure": {failing(6, day), 1024 * time.Minute}, "seventh failure": {failing(7, day), day}, "thousandth failure": {failing(1000, 29*day), day},
		"failing for a month": {failing(40, 31*day), 0}, "stuck": {stuck, 4 * time.Minute}, "serving": {serving, day},
		"to be renewed": {renewed, time.Hour}, "not renewed in time": {late, time.Minute}, "serving, edge does not answer": {away, day},
		"just requested": {pending(0), 10 * time.Second},
		"pending":        {pending(time.Hour), 15 * time.Minute}, "long pending": {pending(9 * day), time.Hour},
	} {
		for _, random := range []float64{0, 0.5, 0.999} {
			got, ok := tt.c.NextCheck(now, random)
			least, most := tt.want*9/10, tt.want*11/10
			if ok != (tt.want > 0) || ok && (got.Sub(now) < least || got.Sub(now) > most) || ok && random == 0.5 && got.Sub(now) != tt.want {
				t.Errorf("%s: the wait is %v (checked automatically: %t), want %v", name, got.Sub(now), ok, tt.want)
			}
		}
	}
}

// TestSSLStatuses checks that the list has Cloudflare's 21 statuses and "none".
func TestSSLStatuses(t *testing.T) {
	t.Parallel()
	if n := len(slices.Compact(slices.Sorted(slices.Values(SSLStatuses)))); n != 22 || n != len(SSLStatuses) {
		t.Errorf("SSLStatuses has %d statuses, %d of them different, want 22 different ones", len(SSLStatuses), n)
	}
	for _, status := range []string{SSLActive, SSLPendingValidation, SSLPendingIssuance, SSLInitializing} {
		if SSLStuck(status) {
			t.Errorf("a certificate in the state %s counts as stuck", status)
		}
	}
}
