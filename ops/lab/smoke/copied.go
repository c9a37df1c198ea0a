package smoke

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/ops/client"
)

// startCopy makes the service keep a copy of its clicks in ClickHouse, if the options name a ClickHouse.
func (r *run) startCopy(ctx context.Context) error {
	if r.ClicksURL == "" {
		return nil
	}
	r.logf("clicks are copied to ClickHouse from now on")
	return r.fleet.Command(ctx, nil, "clicks", "move", "--to", "clickhouse")
}

func (r *run) waitCopied(ctx context.Context) error {
	if r.ClicksURL == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return client.Poll(ctx, 200*time.Millisecond, func() (bool, error) {
		var s struct {
			State   string
			Waiting int64
		}
		err := r.fleet.Command(ctx, &s, "clicks", "status")
		return s.State == "on" && s.Waiting == 0, err
	})
}

// checkCopy checks that ClickHouse answered reports, and that its clicks match the counts of PostgreSQL.
func (r *run) checkCopy(ctx context.Context) error {
	if r.ClicksURL == "" {
		return nil
	}
	n, err := r.answeredByCopy(ctx)
	if err != nil {
		return err
	}
	if n == 0 {
		r.traffic.problem("no report was answered from ClickHouse")
	}
	if err := r.fleet.Command(ctx, nil, "clicks", "audit"); err != nil {
		r.traffic.problem("the copy differs: %v", err)
	}
	r.logf("%d reports were answered from ClickHouse, whose clicks were compared with the counts of PostgreSQL", n)
	return nil
}

// answeredByCopy reads from the metrics how many reports ClickHouse has answered.
func (r *run) answeredByCopy(ctx context.Context) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.fleet.OpsURL+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	req.SetBasicAuth("smoke", r.fleet.OpsPassword)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, fmt.Errorf("smoke: metrics: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), `switchyard_report_answers_total{engine="clickhouse"} `); ok {
			n, err := strconv.ParseFloat(text, 64)
			return int(n), err
		}
	}
	return 0, fmt.Errorf("smoke: metrics: status %d, and no report is counted", resp.StatusCode)
}
