import type { T } from '../language.tsx'

/** What screen readers say of the parts of a cropper. */
export function cropLabels(t: T) {
  const label = (part: 'area' | 'nw' | 'n' | 'ne' | 'e' | 'se' | 's' | 'sw' | 'w') =>
    t('app.crop.move', { part: t(`app.crop.${part}`) })
  return {
    cropArea: label('area'),
    nwDragHandle: label('nw'),
    nDragHandle: label('n'),
    neDragHandle: label('ne'),
    eDragHandle: label('e'),
    seDragHandle: label('se'),
    sDragHandle: label('s'),
    swDragHandle: label('sw'),
    wDragHandle: label('w'),
  }
}
