// Made of the sub-parameters of clicks by the API's tests (-run TestTypes -update). Do not edit.

export const mostSubs = 30
export const earlySubs = 10
