import { z } from 'zod'
import * as views from './alert-views.ts'
import { byId, emptyBody, endpoint } from './endpoint.ts'
import { done } from './primitives.ts'

export const alertViewEndpoints = {
  listAlertViews: endpoint({
    path: '/api/alert-views',
    access: 'account',
    summary: 'The account’s saved views of the alert list, by name',
    response: z.array(views.alertView),
  }),
  createAlertView: endpoint({
    method: 'POST',
    path: '/api/alert-views',
    access: 'account',
    status: 201,
    creates: true,
    summary: 'Save filters of the alert list under a name',
    body: views.newAlertView,
    response: views.alertView,
  }),
  changeAlertView: endpoint({
    method: 'PUT',
    path: '/api/alert-views/:id',
    access: 'account',
    summary: 'Rename a saved view or replace its filters',
    params: byId,
    body: views.alertViewChange,
    response: views.alertView,
  }),
  deleteAlertView: endpoint({
    method: 'DELETE',
    path: '/api/alert-views/:id',
    access: 'account',
    summary: 'Delete a saved view',
    params: byId,
    body: emptyBody,
    response: done,
  }),
} as const
