package jobs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/jobs"
	"switchyard/jobs/jobstest"
)

// SumArgs are small numbers. Arguments should be ids and small scalars, because operators see them in the queue.
type SumArgs struct {
	A int `json:"a"`
	B int `json:"b"`
}

// Sum is a kind of job whose caller waits for the answer. A worker registers its handler with workers.Register.
var Sum = jobs.Define[SumArgs, int]("example:sum", jobs.Policy{
	Queue: jobs.Interactive, Timeout: 5 * time.Second, Retries: []time.Duration{time.Second},
})

// Archive is a kind of job that must be carried out. A worker registers its handler with workers.RegisterRow.
var Archive = jobs.Define[jobs.None, jobs.None]("example:archive", jobs.Policy{Queue: jobs.Bulk, Row: true})

func Example() {
	recorder, client := jobstest.New() // the service calls jobs.Connect
	jobstest.Answer(recorder, Sum, func(_ uuid.UUID, a SumArgs) (int, error) { return a.A + a.B, nil })
	ctx, account := context.Background(), uuid.New()

	handle, err := jobs.Submit(ctx, client, Sum, account, SumArgs{A: 2, B: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := jobs.AwaitTimeout(ctx, handle, jobs.AnswerWithin)
	fmt.Println(sum, err)
	// Output: 5 <nil>
}

func ExampleJob_NewRow() {
	recorder, client := jobstest.New()
	ctx, account := context.Background(), uuid.New()

	row, err := Archive.NewRow(account, jobs.None{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// In the service, jobrow.Insert writes the row. After the commit the row is dispatched:
	client.DispatchFor(ctx, account, row.Kind, row.ID)
	fmt.Println(len(recorder.Rows(Archive.Kind())))
	// Output: 1
}
