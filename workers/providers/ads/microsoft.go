package ads

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// microsoftAds is the reporting service of Microsoft Advertising, REST v13. A report is ordered, polled until it is ready, and
// fetched as a ZIP with a CSV. Days are London days. Not verified: whether the CSV begins with a byte order mark.
var microsoftAds = adapter{
	base: "https://reporting.api.bingads.microsoft.com",
	open: func(s *session) {
		s.Coded = microsoftCode
		s.Busy = func(f *rest.FailureError) bool { return slices.Contains([]string{"117", "207"}, f.Code) } // CallRateExceeded, ConcurrentRequestOverLimit
		s.Denied = func(f *rest.FailureError) bool { return slices.Contains([]string{"105", "106", "109"}, f.Code) }
		s.zone = "Europe/London"
	},
	sign:  rest.Bearer,
	stale: func(f *rest.FailureError) bool { return f.Code == "105" || f.Code == "109" },
	test: func(ctx context.Context, s *session) error {
		today := s.Now().UTC()
		_, err := microsoftOrder(ctx, s, Range{From: today, To: today})
		return err
	},
	page: microsoftPage,
}

// microsoftCode returns the code of the first error of a fault.
func microsoftCode(body []byte) string {
	type coded = rest.List[struct{ Code rest.Text }]
	var fault struct{ Errors, BatchErrors, OperationErrors coded }
	if json.Unmarshal(body, &fault) == nil {
		for _, e := range slices.Concat(fault.Errors, fault.BatchErrors, fault.OperationErrors) {
			return string(e.Code)
		}
	}
	return ""
}

func microsoft(ctx context.Context, s *session, path string, body, into any) error {
	if s.client.o.DeveloperToken == "" {
		return models.Invalid("not_configured", "this install has no developer token for Microsoft Advertising")
	}
	return s.read(ctx, rest.Request{Method: http.MethodPost, Path: "/Reporting/v13/GenerateReport/" + path, Body: body, Repeat: true, Header: map[string]string{
		"DeveloperToken": s.client.o.DeveloperToken, "CustomerId": digits(s.c["customer_id"]), "CustomerAccountId": digits(s.c["account_id"]),
	}}, into)
}

type microsoftDay struct{ Day, Month, Year int }

func microsoftDate(t time.Time) microsoftDay { return microsoftDay{t.Day(), int(t.Month()), t.Year()} }

func microsoftOrder(ctx context.Context, s *session, period Range) (id string, err error) {
	var answer struct {
		ID rest.Text `json:"ReportRequestId"`
	}
	err = microsoft(ctx, s, "Submit", map[string]any{"ReportRequest": map[string]any{
		"Type": "CampaignPerformanceReportRequest", "ReportName": "cost", "Format": "Csv", "FormatVersion": "2.0", "Aggregation": "Daily",
		"ExcludeReportHeader": true, "ExcludeReportFooter": true, "ExcludeColumnHeaders": false, "ReturnOnlyCompleteData": false,
		"Columns": []string{"TimePeriod", "CampaignId", "CampaignName", "CurrencyCode", "Spend", "Clicks", "Impressions"},
		"Scope":   map[string]any{"AccountIds": []string{digits(s.c["account_id"])}},
		"Time": map[string]any{
			"CustomDateRangeStart": microsoftDate(period.From), "CustomDateRangeEnd": microsoftDate(period.To),
			"ReportTimeZone": "GreenwichMeanTimeDublinEdinburghLisbonLondon",
		},
	}}, &answer)
	if err == nil && answer.ID == "" {
		err = rest.ErrForm
	}
	return string(answer.ID), err
}

// A report is polled at most microsoftPolls times. The wait between polls grows from firstPoll to longestPoll.
const (
	microsoftPolls = 40
	firstPoll      = 2 * time.Second
	longestPoll    = 15 * time.Second
)

func microsoftPage(ctx context.Context, s *session, period Range, _ string) (rows []row, next string, err error) {
	id, err := microsoftOrder(ctx, s, period)
	if err != nil {
		return nil, "", err
	}
	wait := firstPoll
	for range microsoftPolls {
		var answer struct {
			Report struct {
				Status rest.Text `json:"Status"`
				URL    rest.Text `json:"ReportDownloadUrl"`
			} `json:"ReportRequestStatus"`
		}
		if err := microsoft(ctx, s, "Poll", map[string]string{"ReportRequestId": id}, &answer); err != nil {
			return nil, "", err
		}
		switch answer.Report.Status {
		case "Success":
			if answer.Report.URL == "" { // nothing was spent
				return nil, "", nil
			}
			rows, err = microsoftFetch(ctx, s, string(answer.Report.URL))
			return rows, "", err
		case "Error":
			return nil, "", errors.New("the platform could not make the report")
		}
		if err := s.Sleep(ctx, wait); err != nil {
			return nil, "", err
		}
		wait = min(2*wait, longestPoll)
	}
	return nil, "", errors.New("the platform has not made the report in time")
}

// microsoftFetch downloads a report from the address that the service gave. It sends no credentials to this address.
func microsoftFetch(ctx context.Context, s *session, address string) (rows []row, err error) {
	api := s.API
	api.Base, api.Sign = address, nil
	answer, err := api.Send(ctx, rest.Request{Method: http.MethodGet})
	if err != nil {
		return nil, err
	}
	body, err := unzipped(answer.Body)
	if err != nil {
		return nil, err
	}
	err = rest.CSVRows(body, func(field rest.Field) {
		rows = append(rows, row{
			day: field("TimePeriod"), campaign: field("CampaignId"), name: field("CampaignName"), currency: field("CurrencyCode"),
			amount: field("Spend"), clicks: field("Clicks"), impressions: field("Impressions"),
		})
	})
	return rows, err
}

// maxUnzipped is the maximum length of an unpacked report, in bytes.
const maxUnzipped = 64 << 20

func unzipped(archive []byte) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil || len(z.File) == 0 {
		return nil, rest.ErrForm
	}
	f, err := z.File[0].Open()
	if err != nil {
		return nil, rest.ErrForm
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxUnzipped+1))
	switch {
	case err != nil:
		return nil, rest.ErrForm
	case len(body) > maxUnzipped:
		return nil, errors.New("the report is too long")
	}
	return body, nil
}
