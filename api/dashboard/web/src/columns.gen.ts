// Made of the columns of corrections by the API's tests (-run TestTypes -update). Do not edit.

export interface FileColumn { name: string; required: boolean; names: string[] }
export const conversionColumns: FileColumn[] = [{"name":"click id","required":true,"names":["clickid","click","cid","clid","subid","affsub","cnvid","cfclickid","uclick","visitid","externalclickid","clickref","trackingid"]},
{"name":"payout","required":false,"names":["payout","revenue","amount","sum","commission","earnings","income","payment","value","price"]},
{"name":"status","required":false,"names":["status","conversionstatus","cnvstatus","leadstatus","orderstatus","st"]},
{"name":"currency","required":false,"names":["currency","payoutcurrency","currencycode","conversioncurrency","cnvcurrency","cur"]},
{"name":"conversion id","required":false,"names":["conversionid","conversion","convid","txid","tid","transactionid","transaction","orderid","order","ordernumber","actionid","leadid","saleid"]},
{"name":"time","required":false,"names":["time","recordedat","conversiontime","conversiondate","eventtime","datetime","date","timestamp","createdat","created","day"]},
{"name":"goal","required":false,"names":["goal","goalkey","goalname","event","eventname","eventtype","conversiontype","et","ct","type"]}]

export const costColumns: FileColumn[] = [{"name":"day","required":true,"names":["day","date","reportdate","statdate","statsdate","reportingdate","dt","datestart","reportingstarts","time"]},
{"name":"source","required":true,"names":["sourceid","source","trafficsourceid","trafficsource","sourcename","trafficsourcename","adnetwork","channel"]},
{"name":"spend","required":true,"names":["spend","cost","amountspent","spent","adspend","totalspend","totalcost","amount","expense","expenses"]},
{"name":"campaign","required":false,"names":["campaignid","campaign","campaignname","campaignalias"]},
{"name":"currency","required":false,"names":["currency","currencycode","costcurrency","spendcurrency","cur"]},
{"name":"clicks","required":false,"names":["clicks","linkclicks","clicksall","visits"]},
{"name":"impressions","required":false,"names":["impressions","impr","imps","views","shows"]}]

export const postbackNames: Record<string, string[]> = {"click_id":["clickid","cid","click_id","subid","cnv_id","clid","aff_sub","cf_click_id","uclick"],"conversion_id":["conversion_id","txid","tid","transaction_id","transactionid","orderid","order_id","action_id"],"currency":["currency","cnv_currency","cur"],"goal":["goal","et","event","type","ct","event_name"],"payout":["payout","revenue","sum","amount"],"status":["status","cnv_status","st"]}
