package spool

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// A segment stores a record as a frame: the marker, the length of the payload, the CRC-32C of length and payload, and the
// payload. The length and the checksum are little endian. The marker lets a reader find the next record after a damaged record.
// No valid UTF-8 text contains the marker.
const (
	frameHeader = 12
	maxRecord   = 512 << 10
)

var (
	frameMarker = []byte{0xF5, 0xFA, 'S', 'Y'}
	castagnoli  = crc32.MakeTable(crc32.Castagnoli)
)

// openFrame appends an empty header. After the caller has appended the payload, closeFrame fills in the header.
func openFrame(b []byte) []byte { return append(append(b, frameMarker...), 0, 0, 0, 0, 0, 0, 0, 0) }

func closeFrame(frame []byte) {
	binary.LittleEndian.PutUint32(frame[4:], uint32(len(frame)-frameHeader)) //nolint:gosec // capped by maxRecord
	binary.LittleEndian.PutUint32(frame[8:], frameSum(frame))
}

func frameSum(frame []byte) uint32 {
	return crc32.Update(crc32.Checksum(frame[4:8], castagnoli), castagnoli, frame[frameHeader:])
}

// firstFrames returns the total size of the first frames of buf that fit into limit bytes, and how many they are. The first frame
// always counts, even if it exceeds the limit.
func firstFrames(buf []byte, limit int64) (size int, frames int64) {
	for size < len(buf) {
		n := frameHeader + int(binary.LittleEndian.Uint32(buf[size+4:]))
		if frames > 0 && int64(size+n) > limit {
			break
		}
		size, frames = size+n, frames+1
	}
	return size, frames
}

// scanner finds the frames in a part of a segment.
type scanner struct {
	skipped int64 // number of stretches of damaged bytes
	damaged bool  // the scan is inside a stretch of damaged bytes
}

// next finds the first intact frame in buf. It returns the payload and the offset after the frame. Without an intact frame,
// payload is nil, and end is the number of bytes that need not be scanned again. If the parameter last is true, no data follows
// buf, so an incomplete frame is damage. Zeros up to the end of buf are not damage: the unwritten rest of a prepared segment
// has only zeros.
func (s *scanner) next(buf []byte, last bool) (payload []byte, end int) {
	for i := 0; i < len(buf); {
		rest := buf[i:]
		n, state := checkFrame(rest)
		switch {
		case state == frameSound:
			s.damaged = false
			return rest[frameHeader:n], i + n
		case state == frameShort && !last:
			return nil, i
		case !s.damaged && zeros(rest):
			return nil, len(buf)
		}
		if !s.damaged {
			s.damaged = true
			s.skipped++
		}
		jump := bytes.Index(rest[1:], frameMarker)
		if jump < 0 {
			if last {
				return nil, len(buf)
			}
			return nil, max(i+1, len(buf)-len(frameMarker)+1)
		}
		i += 1 + jump
	}
	return nil, len(buf)
}

func zeros(b []byte) bool { return b[0] == 0 && len(bytes.TrimLeft(b, "\x00")) == 0 }

type frameState uint8

const (
	frameSound frameState = iota
	frameShort            // correct so far, but incomplete
	frameBad
)

// checkFrame checks the frame at the start of b, and returns its length if the frame is intact.
func checkFrame(b []byte) (int, frameState) {
	if !bytes.HasPrefix(b, frameMarker[:min(len(b), len(frameMarker))]) {
		return 0, frameBad
	}
	if len(b) < frameHeader {
		return 0, frameShort
	}
	size := binary.LittleEndian.Uint32(b[4:])
	if size == 0 || size > maxRecord {
		return 0, frameBad
	}
	n := frameHeader + int(size)
	if n > len(b) {
		return 0, frameShort
	}
	if frameSum(b[:n]) != binary.LittleEndian.Uint32(b[8:]) {
		return 0, frameBad
	}
	return n, frameSound
}
