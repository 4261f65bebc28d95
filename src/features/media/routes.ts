import { Elysia, t } from 'elysia'
import { withFormFile } from '../../http/form-file.ts'
import type { Guard } from '../../http/signed-in.ts'
import type { Visitor } from '../../http/visitor.ts'
import { Refusal } from '../../lib/refusal.ts'
import { MAX_IMAGE_BYTES } from './image.ts'
import * as model from './model.ts'
import type { Media } from './service.ts'
import { thumbSize } from './signed-url.ts'

const file = { name: 'file', maxBytes: MAX_IMAGE_BYTES }

export const mediaRoutes = ({ visitor, guard, media }: { visitor: Visitor; guard: Guard; media: Media }) =>
  new Elysia({ name: 'media' })
    .use(publicRoutes({ visitor, media }))
    .use(guard)
    .post(
      '/api/v1/media',
      async ({ caller, lookAgain, request, status }) => {
        await media.refuseTooMany(caller)
        const image = await withFormFile(request, { ...file, userId: caller.id }, async (bytes) => {
          await lookAgain()
          return media.upload(caller, bytes)
        })
        return status(201, image)
      },
      {
        limit: 'upload',
        parse: 'none',
        response: { 201: model.image },
        detail: {
          summary: 'Upload an image',
          description:
            'JPEG, PNG, WebP or GIF by its bytes, to 10 MiB and 40 megapixels; stored upright as WebP, its longest side 2048 at most, without any metadata. One that is not used for a day goes. `validation_failed` where it is damaged, or there is no file; `conflict` where the account’s images take up 500 MB; `content_refused` where the operator’s checker of images refuses it.',
          tags: ['media'],
          refusals: [
            'malformed_body',
            'bad_request',
            'payload_too_large',
            'unsupported_media_type',
            'validation_failed',
            'content_refused',
            'conflict',
          ],
          requestBody: {
            required: true,
            content: {
              'multipart/form-data': {
                schema: {
                  type: 'object',
                  title: 'ImageUpload',
                  required: ['file'],
                  properties: { file: { type: 'string', format: 'binary' } },
                },
              },
            },
          },
        },
      },
    )

const publicRoutes = ({ visitor, media }: { visitor: Visitor; media: Media }) =>
  new Elysia({ name: 'media-public' })
    .use(visitor)
    // Not counted: a page of chats or people loads a hundred at once, and only URLs that we signed get as far as the disk.
    .get(
      '/api/v1/media/:id',
      async ({ params, query, headers, request }) =>
        imageResponse(
          params.id,
          request.method,
          headers,
          await media.open(params.id, query, request.method === 'HEAD' ? 'HEAD' : 'GET'),
        ),
      {
        params: t.Object({ id: model.signedId }),
        query: model.grant,
        detail: {
          summary: 'Fetch an image by its signed URL',
          description:
            'Needs no token: take the URL as it stands in another answer. `ETag`, `If-None-Match` and byte ranges are understood. `not_found` also where the URL is altered or expired, or where what showed the image is gone.',
          tags: ['media'],
          refusals: ['not_found', 'range_not_satisfiable'],
          security: [],
          responses: {
            200: {
              description: 'The image',
              content: { 'image/webp': { schema: { type: 'string', format: 'binary' } } },
            },
            206: {
              description: 'The part that `Range` asks for',
              content: { 'image/webp': { schema: { type: 'string', format: 'binary' } } },
            },
            302: { description: 'Where the image lies, for some minutes: of a server that keeps images in S3' },
            304: { description: 'The client has it already' },
          },
        },
      },
    )

/** An image never changes under its id. Bun cuts the file to the range that the request asks for. */
function imageResponse(
  id: string,
  method: string,
  headers: Record<string, string | undefined>,
  { image, isThumb, max_age_s }: { image: Blob | URL; isThumb: boolean; max_age_s: number },
) {
  const etag = isThumb ? `"${id}-${thumbSize}"` : `"${id}"`
  const caching = { etag, 'cache-control': `private, max-age=${max_age_s}, immutable` }
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag) || known?.includes('*')) return new Response(null, { status: 304, headers: caching })
  if (image instanceof URL)
    return new Response(null, {
      status: 302,
      headers: {
        location: image.href,
        'cache-control': `private, max-age=${max_age_s}`,
        'cross-origin-resource-policy': 'cross-origin',
      },
    })
  // RFC 9110, section 14.2: `Range` is for GET alone, and `If-Range` for whoever has a part of just this image.
  if (method === 'GET' && (headers['if-range'] ?? etag) === etag) refuseBeyond(headers.range, image)
  return new Response(image, {
    headers: {
      ...caching,
      'content-type': 'image/webp',
      // Bun says so itself where it answers a part.
      ...(headers.range === undefined && { 'accept-ranges': 'bytes' }),
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    },
  })
}

/** Bun answers 416 by itself to a range of which the image has nothing, but with no problem for programs to read. */
function refuseBeyond(range: string | undefined, image: Blob) {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range?.replace(/\s/g, '') ?? '') ?? []
  const isBeyond = first ? Number(first) >= image.size : /^0+$/.test(last)
  if (!isBeyond) return
  throw new Refusal('range_not_satisfiable', 'The image has no such part.', undefined, {
    'content-range': `bytes */${image.size}`,
  })
}
