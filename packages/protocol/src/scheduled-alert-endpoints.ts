import { byId, emptyBody, endpoint } from './endpoint.ts'
import { done } from './primitives.ts'
import * as scheduled from './scheduled-alerts.ts'

/** Separate from the other endpoints because few pages load these schemas. */
export const scheduledAlertEndpoints = {
  listScheduledAlerts: endpoint({
    path: '/api/admin/scheduled-alerts',
    permission: 'alerts.read',
    summary: 'Scheduled alerts, those with the latest time first',
    query: scheduled.listScheduledQuery,
    response: scheduled.scheduledPage,
  }),
  scheduleAlert: endpoint({
    method: 'POST',
    path: '/api/admin/scheduled-alerts',
    permission: 'alerts.publish',
    creates: true,
    summary: 'Schedule an alert, which is issued and broadcast at a given time',
    status: 201,
    body: scheduled.scheduleAlertRequest,
    response: scheduled.scheduledAlert,
  }),
  changeScheduledAlert: endpoint({
    method: 'PUT',
    path: '/api/admin/scheduled-alerts/:id',
    permission: 'alerts.publish',
    summary: 'Replace the content and the time of a scheduled alert that has not been issued',
    params: byId,
    body: scheduled.scheduleAlertRequest,
    response: scheduled.scheduledAlert,
  }),
  cancelScheduledAlert: endpoint({
    method: 'POST',
    path: '/api/admin/scheduled-alerts/:id/cancel',
    permission: 'alerts.publish',
    summary: 'Cancel a scheduled alert that has not been issued',
    params: byId,
    body: emptyBody,
    response: done,
  }),
} as const
