import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type Destination, maxDestinations } from '@tocsin/protocol'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { call } from '../../api/api.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { QueryContent } from '../settings/query-content.tsx'
import { AddDestinationDialog } from './add-destination-dialog.tsx'
import { ChannelLedger } from './channel-ledger.tsx'
import { channelKey, destinationsQuery } from './channel-queries.ts'
import { formatSummary } from './channel-texts.ts'
import { DestinationList } from './destination-list.tsx'
import { DestinationNotice } from './destination-notice.tsx'
import { DestinationPanel } from './destination-panel.tsx'
import { EscalationPanel } from './escalation-panel.tsx'
import { FeedsPanel } from './feeds-panel.tsx'
import { MutesPanel } from './mutes-panel.tsx'
import type { ShownTest } from './test-result.tsx'
import { useOwnDevice } from './use-own-device.ts'
import { usePushConfirmation } from './use-push-confirmation.ts'

const searchSchema = z.object({ destination: z.string().optional().catch(undefined) })

/**
 * Up to this number of destinations, the list stays in view while the user scrolls the rules, which
 * are longer.
 */
const MAX_STICKY = 4

/** The destinations that alerts are sent to, and the result of each delivery. */
export function ChannelsPage() {
  const query = useQuery(destinationsQuery)
  const { destination: chosenId } = searchSchema.parse(useSearch({ strict: false }))
  const navigate = useNavigate()
  const [isAdding, setIsAdding] = useState(false)
  const { tests, testingId, test } = useTests()
  const list = query.data ?? []
  const ownId = useOwnDevice(query.data)
  usePushConfirmation()
  const selectedDestination = list.find(({ id }) => id === chosenId) ?? list[0]
  const select = (id: string) =>
    void navigate({ to: paths.channels, search: { destination: id }, replace: true, resetScroll: false })
  const testAndSelect = (destination: Destination) => {
    select(destination.id)
    test(destination)
  }
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <h1 className="text-h1">Channels</h1>
          <p className="mt-1 text-body text-2">
            Alerts reach you even when no page is open.{' '}
            <SiteLink href={paths.settings} className="link underline underline-offset-4">
              All settings
            </SiteLink>
          </p>
        </div>
        {list.length > 0 && <AddButton onClick={() => setIsAdding(true)} />}
      </div>
      {list.length > 0 && (
        <p className="mb-4 text-base text-2">
          <strong className="font-semibold text-1">
            {list.length} of {maxDestinations} destinations.
          </strong>{' '}
          {formatSummary(list)}
        </p>
      )}
      <div
        className={classNames(
          'grid items-start gap-4',
          selectedDestination && 'xl:grid-cols-[minmax(0,1fr)_minmax(0,448px)]',
        )}
      >
        <div className={classNames('grid min-w-0 gap-4', list.length <= MAX_STICKY && 'xl:sticky xl:top-20')}>
          <Panel title="Destinations" flush>
            <QueryContent query={query} what="your destinations" rows={2}>
              {(rows) =>
                rows.length === 0 ? (
                  <EmptyState title="No destination yet" action={<AddButton onClick={() => setIsAdding(true)} />}>
                    Alerts arrive on your phone, in Telegram, Discord, Slack or ntfy, by email or by webhook, within
                    seconds.
                  </EmptyState>
                ) : (
                  <DestinationList
                    destinations={rows}
                    selectedId={selectedDestination?.id}
                    ownId={ownId}
                    testingId={testingId}
                    onSelect={select}
                    onTest={testAndSelect}
                  />
                )
              }
            </QueryContent>
          </Panel>
          {list.map((destination) => (
            <DestinationNotice key={destination.id} destination={destination} />
          ))}
          <MutesPanel destinations={list} />
          <EscalationPanel destinations={list} />
        </div>
        {selectedDestination && (
          <DestinationPanel
            key={selectedDestination.id}
            destination={selectedDestination}
            test={tests[selectedDestination.id]}
            isTesting={testingId === selectedDestination.id}
            onTest={() => test(selectedDestination)}
          />
        )}
      </div>
      {selectedDestination && (
        <div className="mt-4">
          <ChannelLedger key={selectedDestination.id} destination={selectedDestination} />
        </div>
      )}
      <div className="mt-4">
        <FeedsPanel />
      </div>
      {isAdding && <AddDestinationDialog onAdded={select} onClose={() => setIsAdding(false)} />}
    </>
  )
}

function AddButton({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="primary" onClick={onClick}>
      <Plus aria-hidden size={16} strokeWidth={2.25} />
      Add destination
    </Button>
  )
}

/** Sends test messages and keeps the last result for each destination. */
function useTests() {
  const queryClient = useQueryClient()
  const [tests, setTests] = useState<Record<string, ShownTest>>({})
  const runTest = useMutation({
    mutationFn: (destination: Destination) => call('testDestination', { params: { id: destination.id } }),
    onSuccess: async (result, { id }) => {
      setTests((previousTests) => ({ ...previousTests, [id]: { result, at: new Date().toISOString() } }))
      await queryClient.invalidateQueries({ queryKey: channelKey })
    },
    onError: (error) => toastFailure(error, 'The test could not be sent. Please try again.'),
  })
  return {
    tests,
    testingId: runTest.isPending ? runTest.variables.id : null,
    test: (destination: Destination) => runTest.mutate(destination),
  }
}
