package adstest

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// DeveloperToken is the developer token that the fake of Microsoft Advertising accepts.
const DeveloperToken = "canary-developer-token"

var microsoftAds = Fake{
	Zone:     "Europe/London",
	SignIn:   true,
	settings: map[string]string{"account_id": "176", "customer_id": "250"},
	refuse: func(c *call, words string) {
		c.json(http.StatusBadRequest, object{
			"TrackingId": "t-1", "Type": "ApiFaultDetail", "BatchErrors": []any{},
			"OperationErrors": []object{{"Code": 2027, "ErrorCode": "ReportingServiceInvalidReport", "Message": words, "Details": nil}},
		})
	},
	busy: func(c *call) { microsoftFault(c, http.StatusBadRequest, 117, "CallRateExceeded") },
	serve: func(p *Platforms, c *call) {
		if from, to, ok := strings.Cut(strings.TrimPrefix(c.path, "/download/"), "_"); ok && strings.HasPrefix(c.path, "/download/") {
			if c.r.Header.Get("Authorization") != "" || c.r.Header.Get("DeveloperToken") != "" { // the host of reports gets no credentials
				http.Error(c, "credentials", http.StatusForbidden)
				return
			}
			_, _ = c.Write(microsoftZip(p.within(from, to)))
			return
		}
		h := c.r.Header
		switch {
		case h.Get("Authorization") != "Bearer "+p.validToken():
			microsoftFault(c, http.StatusUnauthorized, 109, "AuthenticationTokenExpired")
			return
		case h.Get("DeveloperToken") != DeveloperToken:
			microsoftFault(c, http.StatusUnauthorized, 105, "InvalidCredentials")
			return
		case h.Get("CustomerId") != "250" || h.Get("CustomerAccountId") != "176":
			microsoftFault(c, http.StatusBadRequest, 106, "UserIsNotAuthorized")
			return
		}
		switch c.path {
		case "/Reporting/v13/GenerateReport/Submit":
			microsoftSubmit(c)
		case "/Reporting/v13/GenerateReport/Poll":
			id, _ := c.body()["ReportRequestId"].(string)
			microsoftPoll(p, c, id)
		default:
			c.fake.refuse(c, "no such operation")
		}
	},
}

func microsoftFault(c *call, status, code int, name string) {
	c.json(status, object{
		"TrackingId": "t-1", "Type": "AdApiFaultDetail", "Errors": []object{{"Code": code, "ErrorCode": name, "Message": "refused", "Detail": nil}},
	})
}

var microsoftColumns = []string{"TimePeriod", "CampaignId", "CampaignName", "CurrencyCode", "Spend", "Clicks", "Impressions"}

func microsoftSubmit(c *call) {
	var ask struct {
		ReportRequest struct {
			Type, ReportName, Format, FormatVersion, Aggregation string

			ExcludeReportHeader, ExcludeReportFooter, ExcludeColumnHeaders, ReturnOnlyCompleteData bool

			Columns []string
			Scope   struct{ AccountIds []string }
			Time    struct {
				CustomDateRangeStart, CustomDateRangeEnd struct{ Day, Month, Year int }
				ReportTimeZone                           string
			}
		}
	}
	r, body := &ask.ReportRequest, json.NewDecoder(c.r.Body)
	body.DisallowUnknownFields()
	if body.Decode(&ask) != nil || c.unknownParam() != "" || r.Type != "CampaignPerformanceReportRequest" || r.Format != "Csv" || r.Aggregation != "Daily" ||
		fmt.Sprint(r.Scope.AccountIds) != "[176]" || !slices.Equal(r.Columns, microsoftColumns) || r.Time.ReportTimeZone == "" {
		c.fake.refuse(c, "the report is not valid")
		return
	}
	from, to := r.Time.CustomDateRangeStart, r.Time.CustomDateRangeEnd
	c.json(http.StatusOK, object{"ReportRequestId": fmt.Sprintf("0:%04d-%02d-%02d_%04d-%02d-%02d", from.Year, from.Month, from.Day, to.Year, to.Month, to.Day)})
}

// microsoftPoll answers "Pending" to a request with an even number, and otherwise the address of the report. The address is empty if
// nothing was spent. The first request orders the report, so the first request that polls it is answered "Pending".
func microsoftPoll(p *Platforms, c *call, id string) {
	_, days, _ := strings.Cut(id, ":")
	from, to, _ := strings.Cut(days, "_")
	status, address := "Success", "https://"+c.r.Host+"/microsoft_ads/download/"+days
	if p.Calls()%2 == 0 {
		status, address = "Pending", ""
	} else if len(p.within(from, to)) == 0 {
		address = ""
	}
	c.json(http.StatusOK, object{"ReportRequestStatus": object{"Status": status, "ReportDownloadUrl": address}})
}

func microsoftZip(rows []Row) []byte {
	var text, archive bytes.Buffer
	text.WriteString("\ufeff")
	out := csv.NewWriter(&text)
	_ = out.Write(microsoftColumns)
	for _, r := range rows {
		cells := []string{r.Day, r.Campaign, r.Name, Currency, r.Spend, strconv.Itoa(r.Clicks), strconv.Itoa(r.Impressions)}
		if r.Bare {
			cells[4], cells[5], cells[6] = "", "", "" // no figures
		}
		_ = out.Write(cells)
	}
	out.Flush()
	z := zip.NewWriter(&archive)
	f, _ := z.Create("cost.csv")
	_, _ = f.Write(text.Bytes())
	_ = z.Close()
	return archive.Bytes()
}
