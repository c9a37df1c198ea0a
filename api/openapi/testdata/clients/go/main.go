// Program main lists campaigns by the generated client.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	key := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("BASE_URL"), WithRequestEditorFn(key))
	if err != nil {
		panic(err)
	}
	limit := 10
	answer, err := client.ListCampaignsWithResponse(context.Background(), &ListCampaignsParams{Limit: &limit})
	if err != nil || answer.JSON200 == nil {
		panic(fmt.Sprint(err, answer.Status()))
	}
	for _, row := range answer.JSON200.Data.Rows {
		fmt.Println(row.Name, row.Clicks)
	}
}
