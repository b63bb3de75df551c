"""SummaryWriter: what a training program shows in TensorBoard."""

import os
import socket
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np

from . import messages
from .messages import as_array, part, proto, write_embedding


class FileWriter:
    """Writes an event file in a folder.

    Args:
        log_dir: the folder.
        max_queue: how many events wait before they are written.
        flush_secs: after how many seconds they are.
        filename_suffix: the end of the file's name.

    Raises:
        ImportError: the package `tensorboard` is not installed.
    """

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        writer = part("summary.writer.event_file_writer").EventFileWriter
        self.event_writer = writer(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """The folder."""
        return str(self.event_writer.get_logdir())

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """Write a message, `event`, with a `step` and a time, now where `walltime` is left out."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(as_array(step))
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Write a `summary`, with `global_step` and `walltime` as `add_event` has step and time."""
        self.add_event(proto("event").Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        """Write what waits."""
        self.event_writer.flush()

    def close(self) -> None:
        """Write what waits, and end."""
        self.event_writer.close()


class SummaryWriter:
    """Writes event files that TensorBoard shows, through the package `tensorboard`.

    Args:
        log_dir: the folder; `runs/<time>_<machine>` when left out.
        comment: the end of that name.
        purge_step: events of this step and later ones, of a run that broke off, are not shown.
        max_queue: how many events wait before they are written.
        flush_secs: after how many seconds they are.
        filename_suffix: the end of the files' names.

    Raises:
        ImportError: the package `tensorboard` is not installed.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = log_dir
        self.purge_step = purge_step
        self._options = max_queue, flush_secs, filename_suffix
        self.file_writer: Any = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        if self.all_writers is None or self.file_writer is None:
            self.file_writer = FileWriter(self.log_dir, *self._options)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                event = proto("event")
                version = event.Event(step=self.purge_step, file_version="brain.Event:2")
                self.file_writer.add_event(version, self.purge_step)
                start = event.SessionLog(status=event.SessionLog.START)
                self.file_writer.add_event(event.Event(step=self.purge_step, session_log=start), self.purge_step)
                self.purge_step = None
        return self.file_writer

    def get_logdir(self) -> str:
        """The folder."""
        return str(self.log_dir)

    def _add(self, summary: Any, global_step: Any, walltime: float | None) -> None:
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Add a number, `scalar_value`, under the name `tag`.

        `global_step` and `walltime` say when it was so; `new_style` writes it as a tensor, in float64 where
        `double_precision` says so.
        """
        self._add(messages.scalar(tag, scalar_value, new_style, double_precision), global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Add numbers to one picture, `main_tag`: each of `tag_scalar_dict` in a folder of its own.

        `global_step` and `walltime` say when it was so.
        """
        now = time.time() if walltime is None else walltime
        folder = self._get_file_writer().get_logdir()
        assert self.all_writers is not None
        for tag, number in tag_scalar_dict.items():
            own = os.path.join(folder, f"{main_tag.replace('/', '_')}_{tag}")
            if own not in self.all_writers:
                self.all_writers[own] = FileWriter(own, *self._options)
            self.all_writers[own].add_summary(messages.scalar(main_tag, number, False, False), global_step, now)

    def add_tensor(self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Add the elements of a `tensor` under the name `tag`; `global_step` and `walltime` say when it was so."""
        result = messages.as_array(tensor).astype(np.float32)
        elements = {"float_val": result.ravel().tolist()}
        self._add(messages.tensor_summary(tag, None, "DT_FLOAT", elements, result.shape), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Add the distribution of `values` under the name `tag`.

        `bins` are 'tensorflow', those of `numpy.histogram`, or edges; `max_bins` is how many there may be.
        `global_step` and `walltime` say when it was so.
        """
        self._add(messages.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: float,
        sum: float,
        sum_squares: float,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Add a distribution that was counted already, under the name `tag`.

        `min`, `max`, `num`, `sum` and `sum_squares` are of the values; `bucket_limits` are the upper edges of bins and
        `bucket_counts` what is in them. `global_step` and `walltime` say when it was so.
        """
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        result = messages.histogram_of_counts(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(result, global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Add an image, `img_tensor`, under the name `tag`: uint8 from 0 to 255, or floats from 0 to 1.

        `dataformats` names its dimensions; `global_step` and `walltime` say when it was so.
        """
        self._add(messages.image(tag, img_tensor, dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Add images, `img_tensor`, as one, under the name `tag`.

        `dataformats` names their dimensions; `global_step` and `walltime` say when it was so.
        """
        self._add(messages.image(tag, img_tensor, dataformats), global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: Any = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Add a matplotlib `figure`, or a list of them, under the name `tag`; `close` says whether it is closed.

        `global_step` and `walltime` say when it was so.
        """
        self.add_images(tag, messages.figure(figure, close), global_step, walltime)

    def add_video(self, tag: str, vid_tensor: Any, *args: Any, **kwargs: Any) -> None:
        """Refused: a video, `vid_tensor`, would be encoded by another package; `add_images` adds its frames as `tag`.
        Raises NotImplementedError: always.
        """
        raise NotImplementedError(
            f"SummaryWriter.add_video({tag!r}): videos are not encoded here; add_images adds frames"
        )

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Add a sound, `snd_tensor` between -1 and 1, under the name `tag`, with `sample_rate` values a second.

        `global_step` and `walltime` say when it was so.
        """
        self._add(messages.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None) -> None:
        """Add a text, `text_string`, under the name `tag`; `global_step` and `walltime` say when it was so."""
        self._add(messages.text(tag, text_string), global_step, walltime)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Add precision and recall of `predictions` between 0 and 1 for `labels`, under the name `tag`.

        `num_thresholds` is how many points there are, `weights` how much each counts; `global_step` and `walltime` say
        when it was so.
        """
        result = messages.pr_curve(tag, labels, predictions, min(num_thresholds, 127), weights)
        self._add(result, global_step, walltime)

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: Any = None,
        tag: str = "default",
        metadata_header: Any = None,
    ) -> None:
        """Add points, the rows of `mat`, for the projector, under the name `tag`.

        `metadata` are their labels, with a `metadata_header` where each has several; `label_img` are images of them;
        `global_step` says when it was so.
        """
        folder, step = self._get_file_writer().get_logdir(), int(global_step or 0)
        write_embedding(folder, mat, metadata, label_img, step, tag, metadata_header)

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Any] | None = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Add the settings of a run, `hparam_dict`, and what came of it, `metric_dict`, in a folder of its own.

        `hparam_domain_discrete` says which values settings may have, `run_name` is the folder, `global_step` says when
        it was so.
        """
        summaries = messages.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as writer:
            for summary in summaries:
                writer._add(summary, None, None)
            for name, number in metric_dict.items():
                writer.add_scalar(name, number, global_step)

    def add_graph(self, model: Any, *args: Any, **kwargs: Any) -> None:
        """Refused: a `model` is no program that could be written down; `specgrad.graph.draw` draws what was recorded.
        Raises NotImplementedError: always.
        """
        raise NotImplementedError(
            f"SummaryWriter.add_graph: {type(model).__name__} is not traced here; specgrad.graph.draw(loss) draws it"
        )

    def flush(self) -> None:
        """Write what waits in all files."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write what waits in all files, and end them; what is added later begins new ones."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> "SummaryWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
