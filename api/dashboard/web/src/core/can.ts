// Reports what a person's role and the plan allow. The service decides. These functions only hide actions that it would refuse.
import { can } from './me.ts'

export const canWrite = () => can('contributor')
export const canCreateCampaigns = () => can('member')
