// Made of the columns of files by the API's tests (-run TestTypes -update). Do not edit.

export interface FileColumn { name: string; required: boolean }
export const offerColumns: FileColumn[] = [{"name":"name","required":true},
{"name":"url","required":true},
{"name":"network","required":false},
{"name":"payout","required":false},
{"name":"payout_type","required":false},
{"name":"currency","required":false},
{"name":"country","required":false},
{"name":"daily_cap","required":false},
{"name":"group","required":false},
{"name":"tags","required":false},
{"name":"notes","required":false}]

export const linkColumns: FileColumn[] = [{"name":"slug","required":true},
{"name":"destination_url","required":true},
{"name":"domain","required":false},
{"name":"source","required":false},
{"name":"name","required":false},
{"name":"notes","required":false}]

export const postbackNames: Record<string, string[]> = {"click_id":["clickid","cid","click_id","subid","cnv_id","clid","aff_sub","cf_click_id","uclick"],"conversion_id":["conversion_id","txid","tid","transaction_id","transactionid","orderid","order_id","action_id"],"currency":["currency","cnv_currency","cur"],"goal":["goal","et","event","type","ct","event_name"],"payout":["payout","revenue","sum","amount"],"status":["status","cnv_status","st"]}
